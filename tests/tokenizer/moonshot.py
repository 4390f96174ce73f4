"""Writes what the tiktoken package makes of strings with a tokenizer that is laid
out as Moonshot AI's are: tiktoken.model and tokenizer_config.json.

    python moonshot.py golden ../../runtime/tokenizer/testdata     a small one, trained here, for go test
    python moonshot.py reference TOKENIZER_JSON OUT                one with the texts of a real vocabulary, for compare
"""

import base64
import json
import os
import random
import sys

import tiktoken
from jinja2.sandbox import ImmutableSandboxedEnvironment
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from reference import BASE, CONVERSATIONS
from golden import strings

NOT_HAN = r"[%s\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]"
UPPER, LOWER = NOT_HAN % r"\p{Lu}\p{Lt}", NOT_HAN % r"\p{Ll}"
PATTERN = "|".join([
    r"[\p{Han}]+",
    r"[^\r\n\p{L}\p{N}]?" + UPPER + "*" + LOWER + "+(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"[^\r\n\p{L}\p{N}]?" + UPPER + "+" + LOWER + "*(?i:'s|'t|'re|'ve|'m|'ll|'d)?",
    r"\p{N}{1,3}",
    r" ?[^\s\p{L}\p{N}]+[\r\n]*",
    r"\s*[\r\n]+",
    r"\s+(?!\S)",
    r"\s+",
])
NAMED = {0: "[BOS]", 1: "[EOS]", 2: "<|im_end|>", 3: "<|im_user|>", 4: "<|im_assistant|>", 9: "[EOT]", 10: "<|im_system|>", 17: "<|im_middle|>",
         254: "[UNK]", 255: "[PAD]"}
TEMPLATE = ("{%- for message in messages -%}{%- if loop.first and messages[0]['role'] != 'system' -%}<|im_system|>system<|im_middle|>Be helpful.<|im_end|>{%- endif -%}"
            "<|im_{{ message['role'] }}|>{{ message['role'] }}<|im_middle|>{{message['content']}}<|im_end|>{%- endfor -%}"
            "{%- if add_generation_prompt -%}<|im_assistant|>assistant<|im_middle|>{%- endif -%}")


def write(folder, tokens):
    """The two files, for tokens in the order of their ranks."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "tiktoken.model"), "wb") as f:
        for rank, token in enumerate(tokens):
            f.write(base64.b64encode(token) + b" %d\n" % rank)
    added = {str(len(tokens) + i): {"content": s, "lstrip": False, "normalized": False, "rstrip": False, "single_word": False, "special": True} for i, s in NAMED.items()}
    config = {"added_tokens_decoder": added, "bos_token": "[BOS]", "eos_token": "[EOS]", "unk_token": "[UNK]", "pad_token": "[PAD]",
              "tokenizer_class": "TikTokenTokenizer", "chat_template": TEMPLATE}
    with open(os.path.join(folder, "tokenizer_config.json"), "w", encoding="utf-8") as f:
        json.dump(config, f, indent=1)


class Reference:
    def __init__(self, tokens):
        self.first = len(tokens)
        special = {NAMED.get(i, "<|reserved_token_%d|>" % (self.first + i)): self.first + i for i in range(256)}
        self.encoding = tiktoken.Encoding("moonshot", pat_str=PATTERN, mergeable_ranks={t: i for i, t in enumerate(tokens)}, special_tokens=special)
        self.size = self.first + 256

    def encode(self, text):
        return [i for part in cut(text) for i in self.encoding.encode(part, allowed_special="all")]

    def offsets(self, ids):
        """Of each token, the characters that its first and its last byte belong to."""
        pieces = self.encoding.decode_tokens_bytes(ids)
        char, at, out = -1, 0, []
        of_byte = []
        for byte in b"".join(pieces):
            char += byte & 0xC0 != 0x80
            of_byte.append(char)
        for p in pieces:
            out.append((of_byte[at], of_byte[at + len(p) - 1] + 1))
            at += len(p)
        assert [o[0] for o in out] == self.encoding.decode_with_offsets(ids)[1]
        return out

    def decode(self, ids, skip=False):
        return self.encoding.decode([i for i in ids if not skip or i - self.first not in NAMED])


def cut(text):
    """The parts that are encoded alone: at most 400,000 characters, and at most 25,000 in a row that are white space, or that are none."""
    for begin in range(0, len(text), 400_000):
        part, start, run = text[begin:begin + 400_000], 0, 0
        for i, c in enumerate(part):
            run = run + 1 if i == 0 or c.isspace() == part[i - 1].isspace() else 1
            if run > 25_000:
                yield part[start:i]
                start, run = i, 1
        yield part[start:]


SPECIAL = ["[BOS]Hi[EOS]", "<|im_user|>user<|im_middle|>你好 World<|im_end|><|im_assistant|>", "a [PAD] b[UNK]", "<|im_user |>", "[EOT][EOT", "中文English混合の漢字kana", "ABCdef GHI'Ll x'S"]
LONG = ["a" * 25_001, "ab " * 20_000, " " * 60_000 + "x", "\x1c \u3000" * 9_000, "日" * 30_000, ("word " * 81_000)[:400_100]]


def golden(testdata):
    t = Tokenizer(models.BPE())
    t.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(PATTERN), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    t.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=900, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False)
    t.train_from_iterator(BASE, trainer)
    folder = os.path.join(testdata, "moonshot")
    tokens = texts(t)
    # Tokens that no training makes, whose parts have higher ranks than they.
    draw = random.Random(5)
    stray = set()
    while len(stray) < 120:
        s = draw.choice(BASE).encode()
        at = draw.randrange(len(s) + 1)
        stray.add(s[at:at + draw.randint(2, 7)])
    for s in sorted(stray - set(tokens) - {b""}):
        if len(s) > 1:
            tokens.insert(draw.randint(256, len(tokens)), s)
    write(folder, tokens)
    r = Reference(tokens)
    out = []
    for s in strings() + SPECIAL:
        ids = r.encode(s)
        out.append({"text": s, "ids": ids, "offsets": r.offsets(ids), "special": ids, "decoded": r.decode(ids), "skipped": r.decode(ids, True)})
    loose = [[draw.randrange(r.size) for _ in range(draw.randint(1, 8))] for _ in range(300)]
    with open(os.path.join(folder, "golden.json"), "w", encoding="utf-8") as f:
        json.dump({"size": r.size, "texts": out, "loose": [[l, r.decode(l)] for l in loose]}, f, separators=(",", ":"))
        f.write("\n")


def texts(tokenizer):
    """The bytes of each token that spells some, in the order of ids."""
    byte = {c: i for i, c in byte_alphabet().items()}
    out = []
    for token, _ in sorted(tokenizer.get_vocab(with_added_tokens=False).items(), key=lambda e: e[1]):
        if all(c in byte for c in token):
            out.append(bytes(byte[c] for c in token))
    return out


def byte_alphabet():
    out, more = {}, 256
    for b in range(256):
        if 33 <= b <= 126 or 161 <= b <= 172 or b >= 174:
            out[b] = chr(b)
        else:
            out[b] = chr(more)
            more += 1
    return out


def reference(path, out):
    tokens = texts(Tokenizer.from_file(path))
    folder = os.path.join(out, "moonshot")
    write(folder, tokens)
    r = Reference(tokens)
    with open(os.path.join(out, "corpus.json"), encoding="utf-8") as f:
        corpus = json.load(f)
    ids = [r.encode(s) for s in corpus]
    draw = random.Random(11)
    loose = [[draw.randrange(r.size) for _ in range(draw.randint(1, 12))] for _ in range(2000)]
    env = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True)
    chats = []
    for c in CONVERSATIONS:
        for prompt in (False, True):
            text = env.from_string(TEMPLATE).render(messages=[{"role": m[0], "content": m[1]} for m in c], add_generation_prompt=prompt)
            chats.append({"messages": c, "prompt": prompt, "text": text})
    expected = {
        "ids": ids, "offsets": [r.offsets(i) for i in ids], "decoded": [r.decode(i) for i in ids], "skipped": [r.decode(i, True) for i in ids],
        "special_ids": [], "special_offsets": [], "loose": loose, "loose_decoded": [r.decode(i) for i in loose], "size": r.size, "chats": chats,
        "long": [{"text": s, "ids": r.encode(s)} for s in LONG],
    }
    with open(os.path.join(folder, "expected.json"), "w", encoding="utf-8") as f:
        json.dump(expected, f)
    print("tiktoken %s, %d ranks" % (tiktoken.__version__, len(tokens)))


if __name__ == "__main__":
    {"golden": golden, "reference": reference}[sys.argv[1]](*sys.argv[2:])
