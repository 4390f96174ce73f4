"""Writes runtime/tokenizer/testdata: small tokenizers of every kind and what the
tokenizers library makes of some strings with them, for go test.

    python golden.py ../../runtime/tokenizer/testdata

The vocabularies are trained here, on the strings of reference.py; the
pre-tokenizers are those of DeepSeek's releases.
"""

import json
import os
import random
import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from reference import BASE, RANGES, STRESS

CJK = "[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"
WORDS = ("[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*"
         "|\\s*[\r\n]+|\\s+(?!\\S)|\\s+")
CONTRACTIONS = ("(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+"
                "|\\s+(?!\\S)|\\s+")
BOS, EOS = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"


def split(pattern, behavior="isolated", invert=False):
    return pre_tokenizers.Split(Regex(pattern), behavior, invert)


def byte_level(use_regex=False):
    return pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=use_regex)


def trained(size, steps, added, normalizer=None, post=None):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.Sequence(steps)
    if normalizer:
        t.normalizer = normalizer
    t.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=size, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), special_tokens=[BOS, EOS], show_progress=False)
    t.train_from_iterator(BASE, trainer)
    t.add_tokens(added)
    t.post_processor = post or processors.ByteLevel(trim_offsets=False)
    return t


def kinds():
    yield "v3", trained(700, [split("\\p{N}{1,3}"), split(CJK), split(WORDS), byte_level()],
                        [AddedToken("<｜User｜>", normalized=False), AddedToken("<｜User", normalized=True), AddedToken("<think>", normalized=True), AddedToken("é", normalized=True)])
    yield "llm", trained(700, [split("[\r\n]"), split("\\s?\\p{L}+"), split("\\s?\\p{P}+"), split("\\s+$"), split(CJK), pre_tokenizers.Digits(True), byte_level()],
                         [AddedToken("ö", normalized=True), AddedToken("  ", normalized=True)])
    yield "template", trained(600, [split(CONTRACTIONS), byte_level()],
                              [AddedToken("<L>", lstrip=True), AddedToken("<R>", rstrip=True), AddedToken("<W>", single_word=True), AddedToken("ÀB", normalized=True)],
                              normalizers.NFC(), processors.TemplateProcessing(single=BOS + " $A " + EOS, special_tokens=[(BOS, 0), (EOS, 1)]))
    yield "gpt2", trained(600, [pre_tokenizers.Digits(False), byte_level(True)], [], None, processors.ByteLevel(trim_offsets=True, add_prefix_space=True))
    yield "removed", trained(500, [split("\\s+", "removed"), split("[A-Za-z]+", "removed", True), byte_level()], [])


def strings():
    draw = random.Random(3)
    out = list(BASE) + ["x<W>y <W> <W>z", "a  <L>  b", "a  <R>  b <L><R>", "<R> <L>", "A\u0300B cafe\u0301 \u1112\u1161\u11ab", "<｜User｜><｜User", "12ab34 ²³"]
    for _ in range(60):
        out.append("".join(draw.choice(STRESS) for _ in range(draw.randint(1, 20))))
    for _ in range(40):
        s = ""
        for _ in range(draw.choice([1, 3, 8])):
            low, high = draw.choice(RANGES)
            s += "".join(chr(draw.randint(low, high)) for _ in range(draw.choice([1, 2, 4])))
        out.append("".join(c for c in s if not 0xD800 <= ord(c) <= 0xDFFF))
    return out


def templates():
    """Random templates and what jinja2 makes of them, for the white space around tags."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    draw = random.Random(9)
    text = ["", "", " ", "\n", "\n\n", "  \n", "\n  ", "a", "a\n", " \n b ", '"\\\'', "\t", "\r\n", "{ % }"]
    leaf = ["{{ x }}", "{{- x }}", "{{ x -}}", "{{- x -}}", "{{ '%}' + x }}", "{# c #}", "{#- c -#}", "{#- c #}", "{% set y = x %}", "{%- set y = x -%}", "{%+ set y = x %}",
            "{% set y = x +%}", "{% raw %} {{ x }} {% endraw %}", "{%- raw -%} \n{% x {%- endraw -%}", "{%\n set y = x\n%}"]
    out = []

    def piece(depth):
        s = draw.choice(text)
        if depth < 3 and draw.random() < 0.5:
            left, right = draw.choice(["{%", "{%-", "{%+"]), draw.choice(["%}", "-%}", "+%}"])
            inner = "".join(piece(depth + 1) for _ in range(draw.randint(1, 3)))
            begin, end = draw.choice([("if t", "endif"), ("for i in l", "endfor")])
            s += left + " " + begin + " " + right + inner + "{%" + draw.choice(["", "-"]) + " " + end + " " + draw.choice(["", "-"]) + "%}"
        else:
            s += draw.choice(leaf)
        return s + draw.choice(text)

    while len(out) < 300:
        source = "".join(piece(0) for _ in range(draw.randint(1, 4)))
        try:
            out.append([source, env.from_string(source).render(x="X", t=True, l=[1, 2])])
        except Exception:  # a template that jinja2 refuses says nothing
            continue
    return out


def main(out):
    with open(os.path.join(out, "templates.json"), "w", encoding="utf-8") as f:
        json.dump(templates(), f, separators=(",", ":"))
        f.write("\n")
    texts = strings()
    for name, t in kinds():
        folder = os.path.join(out, name)
        os.makedirs(folder, exist_ok=True)
        spec = json.loads(t.to_str())
        if name == "template":
            spec["model"]["ignore_merges"] = True
        with open(os.path.join(folder, "tokenizer.json"), "w", encoding="utf-8") as f:
            json.dump(spec, f, ensure_ascii=False, separators=(",", ":"))
        t = Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
        draw = random.Random(5)
        loose = [[draw.randrange(t.get_vocab_size()) for _ in range(draw.randint(1, 9))] for _ in range(80)]
        golden = {"size": t.get_vocab_size(), "texts": [], "loose": [[ids, t.decode(ids, skip_special_tokens=False)] for ids in loose]}
        for s in texts:
            e, x = t.encode(s, add_special_tokens=False), t.encode(s)
            golden["texts"].append({"text": s, "ids": e.ids, "offsets": e.offsets, "special": x.ids,
                                    "decoded": t.decode(e.ids, skip_special_tokens=False), "skipped": t.decode(x.ids, skip_special_tokens=True)})
        with open(os.path.join(folder, "golden.json"), "w", encoding="utf-8") as f:
            json.dump(golden, f, separators=(",", ":"))
            f.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
