"""nbconvert and papermill, which run notebooks without anybody watching."""
import json
import shutil
import subprocess

import tools

TUTORIAL = tools.ROOT / "notebooks/first_light.ipynb"


def command(folder, *args):
    done = subprocess.run(
        [tools.jupyter() / args[0], *args[1:]], cwd=folder, env=tools.environment(folder),
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=200,
    )
    if done.returncode:
        print(done.stdout[-4000:])
    return done.returncode == 0


def check(what, ok):
    print("ok  " if ok else "FAIL", what, flush=True)
    return ok


def outputs(path):
    return [o for c in json.loads(path.read_text())["cells"] for o in c.get("outputs", [])]


def nbconvert(folder):
    shutil.copy(TUTORIAL, folder)
    if not check("nbconvert: the tutorial is executed into a page", command(
            folder, "jupyter-nbconvert", "--execute", "--to", "html", "--ExecutePreprocessor.timeout=120", TUTORIAL.name)):
        return False
    page = (folder / TUTORIAL.stem).with_suffix(".html").read_text()
    return all([
        check("nbconvert: its pictures are in the page", page.count("data:image/") >= 2),
        check("nbconvert: its text is in the page", "deepseek_v32" in page),
    ])


def papermill(folder):
    notebook = {
        "cells": [
            cell("defaults", 'heads := 2\nname := "nobody"\nverbose := false', "parameters"),
            cell("use", "fmt.Println(name, heads*21, verbose)"),
        ],
        "metadata": {"kernelspec": {"name": "gonterp", "language": "go", "display_name": "gonterp"}},
        "nbformat": 4, "nbformat_minor": 5,
    }
    (folder / "in.ipynb").write_text(json.dumps(notebook))
    # papermill writes no Go of its own; what it writes for C#, var heads = 3; is Go too.
    ran = command(folder, "papermill", "in.ipynb", "out.ipynb", "--language", ".net-csharp", "-p", "heads", "3", "-p", "name", "Mary", "-p", "verbose", "True", "--no-progress-bar")
    said = "".join("".join(o.get("text", "")) for o in outputs(folder / "out.ipynb")) if ran else ""
    return check(f"papermill: the parameters given are the cells': {said.strip()!r}", said.strip() == "Mary 63 true")


def cell(name, source, *tags):
    return {"cell_type": "code", "id": name, "metadata": {"tags": tags}, "source": source, "outputs": [], "execution_count": None}
