#!/usr/bin/env python3
"""papermill with parameters for Go notebooks: papermill_go.py IN OUT NAME=VALUE ...

papermill writes parameters as code and knows no Go. This registers how: a cell of
`name := value` lines behind the cell tagged `parameters`.
"""
import json, sys

import papermill
from papermill.translators import Translator, papermill_translators


class Go(Translator):
    @classmethod
    def translate_none(cls, value):
        return "any(nil)"

    @classmethod
    def translate_str(cls, value):
        return json.dumps(value, ensure_ascii=False)

    @classmethod
    def translate_dict(cls, value):
        items = ", ".join(f"{cls.translate_str(str(k))}: {cls.translate(v)}" for k, v in value.items())
        return "map[string]any{" + items + "}"

    @classmethod
    def translate_list(cls, value):
        kinds = {bool: "bool", int: "int", float: "float64", str: "string"}
        kind = kinds.get(type(value[0]), "any") if value and len({type(v) for v in value}) == 1 else "any"
        return f"[]{kind}{{" + ", ".join(cls.translate(v) for v in value) + "}"

    @classmethod
    def comment(cls, text):
        return "// " + text

    @classmethod
    def assign(cls, name, value):
        return f"{name} := {value}"


papermill_translators.register("gonterp", Go)

if __name__ == "__main__":
    parameters = {}
    for arg in sys.argv[3:]:
        name, value = arg.split("=", 1)
        try:
            parameters[name] = json.loads(value)
        except ValueError:
            parameters[name] = value
    papermill.execute_notebook(sys.argv[1], sys.argv[2], parameters)
