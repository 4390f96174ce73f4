"""The side of transformers: server.py FOLDER DTYPE THREADS. Answers the requests of main.go, a line each."""
import json
import sys
import time

import torch
from transformers import AutoModelForCausalLM

folder, dtype, threads = sys.argv[1], getattr(torch, sys.argv[2]), int(sys.argv[3])
torch.set_num_threads(threads)


def peak():
    for line in open("/proc/self/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024


def measure(run):
    wall, cpu = time.perf_counter(), time.process_time()
    out = run()
    return (time.perf_counter() - wall) * 1e3, (time.process_time() - cpu) * 1e3, out


wall, cpu, model = measure(lambda: AutoModelForCausalLM.from_pretrained(folder, attn_implementation="eager", dtype=dtype).eval())


def prompt(n):
    return torch.tensor([[(i * 7919 + 13) % model.config.vocab_size for i in range(n)]])


def save_layers(ids):
    saved = []
    hooks = [layer.register_forward_hook(lambda module, args, out: saved.append(out)) for layer in model.model.layers]
    try:
        saved.append(model(ids, use_cache=False).logits)
    finally:
        for hook in hooks:
            hook.remove()
    return saved


def decode(ids, n):
    out = model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=n, min_new_tokens=n, do_sample=False, use_cache=True, eos_token_id=None)
    assert out.shape[1] == ids.shape[1] + n
    return out


def perform(r):
    ids, reply = prompt(r["Tokens"]), {"Wall": [], "CPU": []}
    if r["Do"] == "logits":
        reply["Logits"] = model(ids, use_cache=False).logits[0, -1].double().tolist()
    for _ in range(r["Times"]):
        if r["Do"] == "decode":
            w1, c1, _ = measure(lambda: decode(ids, r["New"] + 1))
            w0, c0, _ = measure(lambda: decode(ids, 1))
            wall, cpu = (w1 - w0) / r["New"], (c1 - c0) / r["New"]
        elif r["Do"] == "layers":
            wall, cpu, _ = measure(lambda: save_layers(ids))
        else:
            wall, cpu, _ = measure(lambda: model(ids, use_cache=False))
        reply["Wall"].append(wall)
        reply["CPU"].append(cpu)
    return reply


def send(reply):
    print(json.dumps(dict(reply, Peak=peak())), flush=True)


send({"Load": wall, "LoadCPU": cpu})
with torch.inference_mode():
    for line in sys.stdin:
        send(perform(json.loads(line)))
