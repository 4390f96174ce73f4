"""Writes what the tokenizers library and jinja2 say, for compare to hold against.

    python reference.py DATA OUT [NAME...]

DATA is a folder of folders with a tokenizer.json each. OUT gets corpus.json and,
for every NAME, a folder with its tokenizer.json, tokenizer_config.json and
expected.json.
"""

import json
import os
import random
import shutil
import sys

import tokenizers
from tokenizers import Tokenizer

BASE = [
    "Hello, world!", "", "a", "\n", " ", "é", "中", "When Mary and John went to the store, John gave a drink to",
    "DeepSeek-V3 is a Mixture-of-Experts (MoE) model with 671B total parameters.",
    "你好，世界！今天天气怎么样？", "日本語のテキストとカタカナ、ひらがな。", "한국어 텍스트입니다. 안녕하세요", "Привет, как дела? Ёжик",
    "مرحبا بالعالم، كيف حالك؟", "שלום עולם", "नमस्ते दुनिया", "ไทยภาษา", "Tiếng Việt có dấu", "Ελληνικά κείμενο άέή",
    "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝒯𝑒𝓍𝓉", "👩‍👩‍👧‍👦 family 🏳️‍🌈 flag 🇩🇪🇫🇷", "e\u0301 vs é, n\u0303", "\u200b\u200c\u200dzero\ufeffwidth",
    "12345678901234567890", "3.14159, 1,000,000.00 ½ ² ③ ५६७ ٣٤٥", "a1b2c3 x=1;y=22;z=333;w=4444",
    "    indented\n\t\ttabs\n\r\nCRLF\r\rCR", "   ", "\n\n\n", "\t\t \n \n  x", "  leading", "trailing   ", "a  b   c    d",
    "don't can't I'll we've IT'S 'ſ", "#include <stdio.h>\nint main(void){return 0;}", "def f(x):\n    return x**2  # square\n\n\nclass A:\n    pass\n",
    "if (a&&b||!c) { x <<= 2; } // comment /* */", "https://example.com/path?q=1&x=%20#frag", "foo@bar.com",
    '<html><body class="x">&nbsp;</body></html>', '{"key": [1, 2.5, null, true], "嵌套": {"a": "b"}}', "\\frac{a}{b} \\int_0^1 x^2 dx",
    "$100 €50 £20 ¥300 ₿1", "°C ±5 ×2 ÷3 ≤≥≠ ∑∫∂ →←↔", "「引用」『二重』【括号】《书名》", "。，、；：？！…—～", "　全角　空格　", "ＡＢＣ１２３ａｂｃ",
    "\u00a0nbsp\u2003em\u2009thin\u3000ideo\u2028ls\u2029ps\u0085nel", "\x00\x01\x02\x7f control \x1b[31m",
    "<｜begin▁of▁sentence｜>Hi<｜end▁of▁sentence｜>", "<｜User｜>你好<｜Assistant｜><think>\nhmm\n</think>\n\nanswer",
    "<|EOT|><｜fim▁hole｜><｜fim▁begin｜><｜fim▁end｜>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "<｜User｜ ><｜ User｜>< ｜User｜>", " <｜User｜> <｜Assistant｜> ", "<think></think><image><|ref|><|/ref|>", "<|im_start|>user<|im_end|><|endoftext|>",
    "\ud7ff\ue000\ufffd\uffff", "\U0010ffff\U00020000𠀀𠮷", "龥龦鿿㐀䶿", "ࠀ가힣퟿", "ÀÖØöøƺ ǅ ʓʔʕ", "_underscore_ __dunder__ ~tilde~ `code` ^caret|pipe",
    "!abc #tag .ext /path \"q 'q (p [b {c -opt --long", "...!!!???---===***", "a.b.c/d/e\\f", "A" * 300, " " * 257, "\n" * 65, "ab" * 200, "啊" * 200,
    "1" * 100, "😀" * 50, "é" * 100, "-" * 130, "=" * 99 + "\n", "\u0301\u0302abc\u0303", "x\u0301\u0302 y", "ﬁ ﬂ ﬀ ǆ", "İıſK", "🅰🅱 Ⓐ ㊀ ㋿ Ⅷ ⅷ",
]

RANGES = [
    (0x20, 0x7E), (0x20, 0x7E), (0xA0, 0x24F), (0x250, 0x36F), (0x370, 0x52F), (0x590, 0x6FF), (0x900, 0xDFF), (0xE00, 0xFFF), (0x10A0, 0x13FF),
    (0x1D00, 0x1FFF), (0x2000, 0x2BFF), (0x2C00, 0x2E7F), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xA000, 0xABFF), (0xAC00, 0xD7FF), (0xE000, 0xF8FF),
    (0xF900, 0xFFFF), (0x10000, 0x10FFF), (0x11000, 0x1CFFF), (0x1D400, 0x1D7FF), (0x1F300, 0x1FAFF), (0x20000, 0x2FFFF), (0x9, 0xD), (0x0, 0x1F),
    (0x30, 0x39), (0xE0000, 0xE01EF),
]

STRESS = [" ", "  ", "\n", "\r", "\t", "1", "23", "456", "a", "B", "é", "中", "の", "!", ".", "_", "'", "$", "\u0301", "٣", "½", "\u00a0", "\u3000",
          "\u2028", "\x0b", "\x0c", "\x85", "\x1c"]


def corpus(texts):
    """Plain sentences, real files, random Unicode and white space."""
    draw = random.Random(7)
    out = list(BASE)
    for _ in range(1000):
        t = draw.choice(texts)
        n = draw.choice([5, 20, 80, 300, 1200])
        at = draw.randrange(max(1, len(t) - n))
        out.append(t[at:at + n])
    for _ in range(800):
        n, s = draw.choice([1, 3, 10, 40, 120]), ""
        while len(s) < n:
            low, high = draw.choice(RANGES)
            s += "".join(chr(draw.randint(low, high)) for _ in range(draw.choice([1, 1, 2, 5])))
            if draw.random() < 0.25:
                s += draw.choice([" ", "  ", "\n", "\r\n", "\t", "\u3000", "\u00a0", "'", "."])
        out.append("".join(c for c in s if not 0xD800 <= ord(c) <= 0xDFFF))
    for _ in range(700):
        out.append(draw.choice(["", " ", "\n"]).join(draw.choice(BASE) for _ in range(draw.randint(2, 6)))[:2000])
    for _ in range(700):
        out.append("".join(draw.choice(STRESS) for _ in range(draw.randint(1, 30))))
    for _ in range(60):
        out.append(draw.choice(texts)[:20000])
    return [s for s in out if s.isascii() or not any(0xD800 <= ord(c) <= 0xDFFF for c in s)]


def real_files(folders):
    """Text of every kind that a machine with Python has."""
    out = []
    for folder in folders:
        for parent, inside, names in os.walk(folder):
            inside.sort()
            for name in sorted(names):
                if name.endswith((".py", ".txt", ".jinja", ".json", ".md", ".go", ".html", ".c", ".h")) and name not in ("tokenizer.json", "vocab.json"):
                    try:
                        with open(os.path.join(parent, name), encoding="utf-8") as f:
                            t = f.read(200_000)
                    except (UnicodeDecodeError, OSError):
                        continue
                    if t:
                        out.append(t)
            if len(out) > 1500:
                break
    return out


CONVERSATIONS = [
    [["user", "Hi"]],
    [["system", "You are brief.\nVery."], ["user", "Who are you?"]],
    [["user", "1+1?"], ["assistant", "2"], ["user", "And 2+2?"]],
    [["system", "S"], ["user", "你好 "], ["assistant", " <think>\nhm\n</think>\n\nfour"], ["user", " ok\n"], ["assistant", "bye"]],
]


def chats(folder, config):
    """The rendered conversations, in the environment that transformers gives templates."""
    from jinja2.sandbox import ImmutableSandboxedEnvironment
    path = os.path.join(folder, "chat_template.jinja")
    template = config.get("chat_template")
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            template = f.read()
    if isinstance(template, list):
        template = {t["name"]: t["template"] for t in template}.get("default")
    if not template:
        return []
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    env.filters["tojson"] = lambda x, indent=None: json.dumps(x, ensure_ascii=False, indent=indent)

    def refuse(message):
        raise ValueError(message)

    env.globals["raise_exception"] = refuse
    compiled = env.from_string(template)
    names = {}
    for k in ("bos_token", "eos_token", "pad_token", "unk_token"):
        v = config.get(k)
        names[k] = v["content"] if isinstance(v, dict) else v
    out = []
    for c in CONVERSATIONS:
        for prompt in (False, True):
            messages = [{"role": r, "content": t} for r, t in c]
            try:
                text = compiled.render(messages=messages, add_generation_prompt=prompt, **{k: v for k, v in names.items() if v})
            except ValueError as e:
                text = None
            out.append({"messages": c, "prompt": prompt, "text": text})
    return out


def main(data, out, names):
    os.makedirs(out, exist_ok=True)
    strings = corpus(real_files([data, os.path.dirname(os.__file__)]))
    with open(os.path.join(out, "corpus.json"), "w", encoding="utf-8") as f:
        json.dump(strings, f)
    print("tokenizers %s, %d strings, %d bytes" % (tokenizers.__version__, len(strings), sum(len(s.encode()) for s in strings)))
    for name in names:
        source, target = os.path.join(data, name), os.path.join(out, name)
        os.makedirs(target, exist_ok=True)
        for f in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
            if os.path.exists(os.path.join(source, f)):
                shutil.copy(os.path.join(source, f), target)
        t = Tokenizer.from_file(os.path.join(source, "tokenizer.json"))
        plain = [t.encode(s, add_special_tokens=False) for s in strings]
        special = [t.encode(s) for s in strings[:200]]
        decoded = [t.decode(e.ids, skip_special_tokens=False) for e in plain]
        # Every id alone and random ids: what no text encodes to.
        draw = random.Random(11)
        size = t.get_vocab_size()
        loose = [[i] for i in range(size)] if size < 1000 else [[draw.randrange(size)] for _ in range(1000)]
        loose += [[draw.randrange(size) for _ in range(draw.randint(2, 12))] for _ in range(1000)]
        with open(os.path.join(source, "tokenizer_config.json"), encoding="utf-8") as f:
            config = json.load(f)
        expected = {
            "ids": [e.ids for e in plain], "offsets": [e.offsets for e in plain], "decoded": decoded,
            "skipped": [t.decode(e.ids, skip_special_tokens=True) for e in plain],
            "special_ids": [e.ids for e in special], "special_offsets": [e.offsets for e in special],
            "loose": loose, "loose_decoded": [t.decode(i, skip_special_tokens=False) for i in loose],
            "size": size, "chats": chats(source, config),
        }
        with open(os.path.join(target, "expected.json"), "w", encoding="utf-8") as f:
            json.dump(expected, f)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
