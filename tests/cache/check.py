"""Read what gonterp cached with the libraries that Python's users have, and compare.

  python check.py FOLDER

FOLDER holds the same tokens as cache.safetensors, cache.npz and cache.parquet, and one
pass as pass.safetensors and pass.npz.
"""
import json
import pathlib
import sys

import numpy as np
import pyarrow.parquet
import safetensors.numpy

folder = pathlib.Path(sys.argv[1])
tensors = safetensors.numpy.load_file(folder / "cache.safetensors")
archive = np.load(folder / "cache.npz")
table = pyarrow.parquet.read_table(folder / "cache.parquet")
shapes = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}

assert set(archive.files) == set(tensors) == set(table.column_names), (archive.files, list(tensors), table.column_names)
tokens = len(tensors["input_ids"])
for name, want in tensors.items():
    got = archive[name]
    assert got.dtype == want.dtype and got.shape == want.shape, (name, got.dtype, got.shape, want.dtype, want.shape)
    assert np.array_equal(got, want), name
    column = table[name]
    assert len(column) == tokens, (name, len(column))
    rows = np.array(column.to_pylist())
    if want.ndim > 1:
        shape = tuple(int(n) for n in shapes["shape:" + name].strip("[]").split())
        assert shape == want.shape[1:], (name, shape, want.shape)
        rows = rows.reshape((tokens, *shape))
    assert np.array_equal(rows.astype(want.dtype), want), name

# Prompts follow one another, and each counts its tokens from 0.
prompt, position = tensors["prompt"], tensors["position"]
assert (np.diff(prompt) >= 0).all() and prompt[0] == 0
starts = np.flatnonzero(np.diff(prompt, prepend=-1))
assert (position[starts] == 0).all() and (np.diff(position)[np.diff(prompt) == 0] == 1).all()

one = safetensors.numpy.load_file(folder / "pass.safetensors")
same = np.load(folder / "pass.npz")
for name, want in one.items():
    assert np.array_equal(same[name], want), name

print(json.dumps({"tokens": tokens, "values": sorted(tensors), "checksum": float(np.abs(tensors["layers.2.layer_output"]).sum())}))
