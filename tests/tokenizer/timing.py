"""Times the tokenizers library, for compare to hold its own times against.

    python timing.py TOKENIZER_JSON TEXTS_JSON

Prints seconds as {"what": [wall, processor]}: loading, and encoding every list
of TEXTS_JSON. Library and list get one pass that is not counted.
"""

import json
import sys
import time

from tokenizers import Tokenizer


def seconds(work):
    wall, processor = time.perf_counter(), time.process_time()
    work()
    return [time.perf_counter() - wall, time.process_time() - processor]


def main(path, texts):
    tokenizer = []
    out = {"load": seconds(lambda: tokenizer.append(Tokenizer.from_file(path)))}
    encode = tokenizer[0].encode
    with open(texts, encoding="utf-8") as f:
        lists = json.load(f)

    def all_of(strings):
        for s in strings:
            encode(s, add_special_tokens=False)

    for name, strings in lists.items():
        all_of(strings)
        out[name] = seconds(lambda: all_of(strings))
    print(json.dumps(out))


if __name__ == "__main__":
    main(*sys.argv[1:])
