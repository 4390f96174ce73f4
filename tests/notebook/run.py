"""Executes notebooks against the installed kernel, as nbclient and papermill do.

    python run.py

One notebook traces a reference checkpoint and compares with what transformers
computed, draws a pattern, makes an error, is interrupted, and goes on with the
model it loaded first. The tutorials under notebooks/ are executed whole.
"""
import asyncio
import json
import pathlib
import struct
import sys
import time

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = pathlib.Path(__file__).resolve().parents[2]
CASE = ROOT / "tests/reference/v32"


def expected(name):
    """A float32 tensor of expected.safetensors: its shape and numbers."""
    data = (CASE / "expected.safetensors").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    entry = json.loads(data[8 : 8 + size])[name]
    start, end = (8 + size + o for o in entry["data_offsets"])
    return entry["shape"], struct.unpack(f"<{(end - start) // 4}f", data[start:end])


def text(cell):
    return "".join(o.get("text", "") for o in cell.outputs if o.output_type == "stream")


def check(what, ok):
    if not ok:
        sys.exit(f"FAIL {what}")
    print("ok  ", what)


async def interrupted(client, cell, index, after):
    """Runs a cell that would not end and interrupts it."""
    running = asyncio.create_task(client.async_execute_cell(cell, index))
    await asyncio.sleep(after)
    began = time.time()
    await client.km.interrupt_kernel()
    try:
        await running
        check("the endless cell was interrupted", False)
    except CellExecutionError as e:
        check(f"an interrupt ends an endless cell, {time.time() - began:.2f} s after it: {e.ename}", time.time() - began < 2)


async def first():
    run = json.loads((CASE / "runs.json").read_text())["runs"][0]
    ids = "[]int{" + ", ".join(map(str, run["input_ids"][0])) + "}"
    cells = [
        f'model := gonterp.Load({json.dumps(str(CASE))}, gonterp.DType("float32"))\nloads := 1\nmodel',
        f"with model.Trace({ids}) {{\n\tpattern := model.Layers[1].SelfAttn.AttentionProbabilities.Save()\n\tlogits := model.Logits.Save()\n}}\nplotting.Pattern(pattern)",
        'for _, x := range logits.Floats() { fmt.Printf("%.9g ", x) }',
        f"with model.Trace({ids}) {{\n\tmodel.Layers[2].LayerOutput.Value()\n\tmodel.Layers[1].LayerOutput.Set(0)\n}}",
        "for { }",
        f"with model.Trace({ids}) {{\n\tagain := model.Logits.Save()\n}}\nloads++\nfmt.Println(gonterp.Equal(logits, again), loads)",
    ]
    nb = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    client = NotebookClient(nb, kernel_name="gonterp", timeout=120)
    async with client.async_setup_kernel():
        for i in (0, 1, 2):
            await client.async_execute_cell(nb.cells[i], i)
        pictures = [o for c in nb.cells for o in c.outputs if "image/png" in o.get("data", {})]
        check("one PNG", len(pictures) == 1 and nb.cells[1].outputs[-1] is pictures[0])
        shape, want = expected("plain/logits")
        got = [float(w) for w in text(nb.cells[2]).split()]
        worst = max(abs(a - b) for a, b in zip(got, want)) / max(1, *map(abs, want))
        check(f"logits {shape} equal transformers' (largest difference {worst:.1g} of the largest)", len(got) == len(want) and worst < 1e-4)
        try:
            await client.async_execute_cell(nb.cells[3], 3)
            check("a write behind the frontier is an error", False)
        except CellExecutionError as e:
            said = e.evalue + e.traceback
            check("a write behind the frontier names both points", "layers.1.layer_output" in said and "layers.2.layer_output" in said)
        await interrupted(client, nb.cells[4], 4, 1.0)
        await client.async_execute_cell(nb.cells[5], 5)
        check("the model survived an error and an interrupt, and was loaded once", text(nb.cells[5]).strip() == "true 2")


def tutorials():
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        nb = nbformat.read(path, 4)
        NotebookClient(nb, kernel_name="gonterp", timeout=300).execute()
        pictures = sum("image/png" in o.get("data", {}) for c in nb.cells for o in c.get("outputs", []))
        check(f"{path.relative_to(ROOT)}: {sum(c.cell_type == 'code' for c in nb.cells)} cells, {pictures} pictures", True)


if __name__ == "__main__":
    asyncio.run(first())
    tutorials()
