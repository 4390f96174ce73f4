"""Write reference values for DeepSeek-family models from Hugging Face transformers.

usage: python make_reference.py SPEC.json OUT_DIR [CASE ...]

For every case in the spec this makes a small random checkpoint with the tensor names the released
checkpoints use, runs it through transformers (eager attention), and writes a case folder:

  config.json, model*.safetensors[.index.json]   the checkpoint
  runs.json            what was run: tokens, mask, interventions, values wanted, gradients, generation
  inputs.safetensors   the tensors that interventions write or add (only where a run uses one)
  expected.safetensors the values, keyed "RUN/path"
  checks.json          what was verified while writing it (see README.md)

Nothing of the models' arithmetic is copied here. Values at module boundaries come from forward hooks; values
inside a function (scores, pattern, router logits, slot outputs) from a TorchFunctionMode that sees the calls
transformers' own code makes. Everything is a function of the spec: the same spec gives the same files.
"""
import fnmatch, importlib, json, os, sys
from collections import defaultdict
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")
import torch
import torch.nn.functional as F
import transformers
from safetensors.torch import save_file
from torch.overrides import TorchFunctionMode

import check_reference
from checkpoint import generator, load, load_by_hand, randn, write_checkpoint

transformers.logging.set_verbosity_error()
transformers.logging.disable_progress_bar()
DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16}


# ---------------------------------------------------------------- taps


class Tracer(TorchFunctionMode):
    """Reads and rewrites the standard values while transformers' own forward runs."""

    def __init__(self, model):
        super().__init__()
        self.model, self.scope, self.prefix = model, None, ""
        self.begin({"name": "", "ops": [], "want": []}, {}, {}, 0)
        m = model.model
        self.out(m.embed_tokens, "token_embeddings"), self.out(m.norm, "final_norm_output"), self.out(model.lm_head, "lm_head_output")
        for i, layer in enumerate(m.layers):
            p, a, f = f"layers.{i}.", layer.self_attn, layer.mlp
            self.inp(layer, p + "layer_input"), self.out(layer.input_layernorm, p + "attention_norm_output")
            self.inp(layer.post_attention_layernorm, p + "layer_mid"), self.out(layer.post_attention_layernorm, p + "mlp_norm_output")
            self.inp(f, p + "mlp_input"), self.out(layer, p + "layer_output")
            heads = lambda x, n=a.num_heads: x.unflatten(-1, (n, -1))
            self.inp(a.o_proj, p + "self_attn.attention_premix", heads), self.out(a, p + "self_attn.attention_output")
            if hasattr(a, "indexer"):
                self.within(a.indexer, "indexer", p)
            for g, at in ((f, p + "mlp."), (getattr(f, "shared_experts", None), p + "mlp.shared_experts.")):
                if hasattr(g, "down_proj"):
                    self.out(g.act_fn, at + "mlp_activation"), self.inp(g.down_proj, at + "mlp_neurons"), self.out(g, at + "mlp_output")
            if hasattr(f, "experts"):
                f.experts.register_forward_pre_hook(lambda _, args, p=p: (args[0], *self.routing(p, *args[1:])))
                self.within(f.gate, "gate", p), self.within(f.experts, "experts", p)
                rows = lambda x: x.view(*self.size, -1)
                self.out(f.experts, p + "mlp.routed_output", rows), self.out(f.shared_experts, p + "mlp.shared_expert_output")
                self.out(f, p + "mlp.mlp_output")
        self.module = importlib.import_module(type(model).__module__)

    def out(self, module, path, view=lambda x: x):
        def hook(_, args, y):
            t = y[0] if isinstance(y, tuple) else y
            new = self.tap(path, view(t)).reshape(t.shape)
            return (new, *y[1:]) if isinstance(y, tuple) else new
        return module.register_forward_hook(hook)

    def inp(self, module, path, view=lambda x: x):
        return module.register_forward_pre_hook(lambda _, args: (self.tap(path, view(args[0])).reshape(args[0].shape), *args[1:]))

    def within(self, module, scope, prefix):
        module.register_forward_pre_hook(lambda *_: self.enter(scope, prefix))
        module.register_forward_hook(lambda *_: self.enter(None, ""))

    def enter(self, scope, prefix):
        self.scope, self.prefix = scope, prefix

    def routing(self, p, indices, weights):
        self.indices = self.tap(p + "mlp.expert_indices", indices.view(*self.size, -1))
        return self.indices.view_as(indices), self.tap(p + "mlp.expert_weights", weights.view(*self.size, -1)).view_as(weights)

    def attention(self, module, q, k, v, mask, **kw):
        p = f"layers.{module.layer_idx}."
        q, k, v = (self.tap(f"{p}self_attn.attention_{n}", t) for n, t in (("queries", q), ("keys", k), ("values", v)))
        self.enter("attention", p)
        y, w = self.eager(module, q, k, v, mask, **kw)
        self.enter(None, "")
        return self.tap(p + "self_attn.attention_head_outputs", y), w

    def __torch_function__(self, func, types, args=(), kwargs=None):
        s, p, kwargs = self.scope, self.prefix, kwargs or {}
        if s == "attention" and func is F.softmax:
            args = (self.tap(p + "self_attn.attention_scores", args[0]), *args[1:])
        if func in (torch.topk, torch.Tensor.topk) and (s, args[0].dim()) in (("gate", 2), ("indexer", 3)):
            self.margin(s, args[0], kwargs.get("k", args[1] if len(args) > 1 else None))
        y = func(*args, **kwargs)
        if s == "attention" and func is F.dropout:
            y = self.tap(p + "self_attn.attention_probabilities", y)
        elif s == "gate" and func is F.linear:
            y = self.tap(p + "mlp.router_logits", y.view(*self.size, -1)).view_as(y)
        elif s == "experts" and func is torch.Tensor.view and y.dim() == 3:
            y = self.tap(p + "mlp.expert_outputs", y.view(*self.size, *y.shape[1:])).view_as(y)
        return y

    def margin(self, scope, scores, k):
        """How far the last score chosen is from the first one not chosen, over tokens that are not padding."""
        if k < scores.shape[-1]:
            top = scores.detach().float().sort(-1, descending=True).values.view(*self.size, -1)
            top = top[self.real] if self.real.shape == top.shape[:2] else top  # a generation step has no padding
            gap, alive = top[..., k - 1] - top[..., k], (top[..., k] > -1e30) & (top[..., k - 1] != 0 if scope == "gate" else True)
            if alive.any():
                self.margins[scope] = min(self.margins.get(scope, 9e9), gap[alive].min().item())

    # -- one run

    def begin(self, run, store, inputs, seed):
        self.run, self.store, self.inputs, self.seed = run, store, inputs, seed
        self.ops, self.got, self.margins = defaultdict(list), {}, {}
        for n, op in enumerate(run["ops"]):
            self.ops[op["at"]].append((n, op))

    def tap(self, path, t):
        if path == "token_embeddings":
            self.size = t.shape[:2]
        for n, op in self.ops[path]:
            t = self.apply(n, op, t)
        if self.wanted(path, self.run.get("grad", {}).get("wrt", [])):
            self.got[path] = t
        return t

    def wanted(self, path, more=()):
        return any(fnmatch.fnmatch(path, w) for w in [*self.run["want"], *more])

    def apply(self, n, op, t):
        axes = op.get("index") or [None] * t.dim()
        ix = tuple(slice(None) if i is None else slice(*i) if isinstance(i, list) else slice(i, i + 1 or None) for i in axes)
        old, kind, shape = t[ix], op["op"], None
        where = None
        if "expert" in op:
            where = (self.indices == op["expert"])[ix[:3]]
            where = where.unsqueeze(-1) if t.dim() == 4 else where
        if "random" in op:  # draw the tensor once, and keep it for the reader
            r, key = op.pop("random"), f"{self.run['name']}/{n}"
            x = randn(old.shape if kind == "write" and where is None else old.shape[-1:], self.seed, key)
            self.inputs[key] = x.softmax(-1) if r == "pattern" else x * r
            op["key"] = key
        x = self.inputs[op["key"]].to(t) if "key" in op else None
        if kind == "scale":
            new = old * op["by"]
        elif kind == "add":
            new = old + op["by"]
        elif kind == "add_vector":
            new = old + x
        elif kind == "project_out":
            new = old - (old @ x).unsqueeze(-1) * x / (x @ x)
        elif kind == "write":
            new = x.expand_as(old) if x is not None else torch.full_like(old, op["value"])
        elif kind == "set_from":
            new = self.store[f"{op['run']}/{op['at']}"].to(t)[ix]
        elif kind == "zero_expert":
            new = torch.zeros_like(old)
        y = t.clone()
        y[ix] = new if where is None else torch.where(where, new, old)
        return y

    def execute(self, run, ids, mask, store, inputs, seed):
        """One run: the tensors it wants (graph attached), by path."""
        self.begin(run, store, inputs, seed)
        self.real, natives, saved = mask.bool(), [], []
        for name, mod in self.model.model.named_modules():
            path = name.replace("mlp.gate", "mlp.router") + ".output"
            if any(w.endswith(".output") and fnmatch.fnmatch(path, w) for w in run["want"]):  # a module's own output
                natives.append(self.out(mod, path))
            bias = path.replace(".output", ".e_score_correction_bias")
            for n, op in self.ops[bias]:  # a buffer, not an activation: written before the run, put back after it
                saved.append((mod.e_score_correction_bias, mod.e_score_correction_bias.clone()))
                mod.e_score_correction_bias.data = self.apply(n, op, mod.e_score_correction_bias.data)
        self.eager, self.module.eager_attention_forward = self.module.eager_attention_forward, self.attention
        try:
            with self:
                if "generate" in run:
                    g = self.model.generate(ids, attention_mask=mask, max_new_tokens=run["generate"], do_sample=False, pad_token_id=1,
                                            output_logits=True, return_dict_in_generate=True)
                    return {"generated_ids": g.sequences[:, ids.shape[1]:], "step_logits": torch.stack(g.logits, 1)}
                logits = self.tap("logits", self.model(input_ids=ids, attention_mask=mask, use_cache=False).logits)
        finally:
            self.module.eager_attention_forward = self.eager
            for b, old in saved:
                b.data = old
            for h in natives:
                h.remove()
        extra = {"input_ids": ids, "attention_mask": mask, "input_size": torch.tensor(ids.shape), "next_token_probs": logits[:, -1].float().softmax(-1)}
        got = {k: v for k, v in (self.got | extra).items() if self.wanted(k)}
        if "grad" in run:
            grad, (x, y) = run["grad"], run["grad"]["of"]["tokens"]
            paths = [p for p in self.got if any(fnmatch.fnmatch(p, w) for w in grad["wrt"])]
            last = logits[:, grad["of"]["position"]]
            of = (last[:, x] - last[:, y]).sum()
            got |= {"grad/" + p: g for p, g in zip(paths, torch.autograd.grad(of, [self.got[p] for p in paths]))} | {"grad_of": of.view(1)}
            grad["wrt"] = paths
        return got


# ---------------------------------------------------------------- cases


def expand(spec):
    """Fill in the spec's shared run lists: "@set" names one, "$X" is a variable of the case."""
    for case in spec["cases"]:
        text = json.dumps([r for x in case["runs"] for r in (spec["run_sets"][x[1:]] if isinstance(x, str) else [x])])
        for k, v in sorted(case.get("vars", {}).items(), reverse=True):
            text = text.replace(f'"${k}"', json.dumps(v)).replace(f"${k}", str(v))
        case["runs"] = json.loads(text)
    return spec["cases"]


def prompt_tokens(case, name):
    p, vocab = case["prompts"][name], case["config"]["vocab_size"]
    ids = torch.randint(2, vocab, (p["batch"], p["seq"]), generator=generator(case["seed"], "prompt", name))
    mask, pads = torch.ones_like(ids), p.get("pad", [0] * p["batch"])
    for row, pad in enumerate(pads):  # left padding with token 1, then the start token 0
        ids[row, pad], ids[row, :pad], mask[row, :pad] = 0, 1, 0
    for row, pad in enumerate(p.get("right", [])):  # the same on the other side
        ids[row, ids.shape[1] - pad:], mask[row, ids.shape[1] - pad:] = 1, 0
    return ids, mask


def plain(t):
    return (t.to(torch.float32) if t.is_floating_point() else t).detach().contiguous().clone()


def by_expert(got, path):
    """A value with its slots in the order of the expert ids; transformers leaves the order of slots to torch.topk."""
    name, t = path.split(".")[-1], got[path].detach()
    if name not in ("expert_weights", "expert_outputs", "expert_indices"):
        return t
    order = got[path.replace(name, "expert_indices")].argsort(-1)
    return t.gather(2, order if t.dim() == 3 else order.unsqueeze(-1).expand_as(t))


def compare(a, b):
    """Largest difference of two runs over all blocks, by kind of value: [absolute, relative L2]."""
    worst = {}
    for path in sorted(a.keys() & b.keys()):
        x, y = by_expert(a, path), by_expert(b, path)
        if x.is_floating_point() and x.shape == y.shape and x.numel():
            x, y = x.double(), y.double()
            live = (x > -1e30) & (y > -1e30)  # leave masked scores out
            d, m = (x - y)[live], worst.setdefault(path.split(".")[-1], [0.0, 0.0])
            m[:] = max(m[0], d.abs().max().item()), max(m[1], (d.norm() / x[live].norm().clamp_min(1e-30)).item())
    return {k: [float(f"{v:.3g}") for v in m] for k, m in sorted(worst.items())}


def decisions(got):
    """Which experts each token goes to, and which keys each query gives weight to."""
    return {p: t.sort(-1).values if p.endswith("indices") else t > 0 for p, t in got.items() if p.endswith(("expert_indices", "probabilities"))}


def run_case(case, out, full=True):
    torch.set_num_threads(1)
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*"):
        old.unlink()
    dtype, tensors, seed = DTYPES[case["compute"]], write_checkpoint(case, out), case["seed"]
    model = load(case, out, tensors, dtype)
    tracer, store, inputs, runs, base, got_by_run = Tracer(model), {}, {}, [], {}, {}
    checks = {"versions": {"transformers": transformers.__version__, "torch": torch.__version__.split("+")[0]},
              "experts_implementation": model.config._experts_implementation, "effects": {}, "margins": {}}
    for r in case["runs"]:
        run = {"name": r["name"], "prompt": r.get("prompt", "a"), "ops": r.get("ops", []), "want": r.get("want", ["logits"]), **r}
        ids, mask = prompt_tokens(case, run["prompt"])
        got = tracer.execute(run, ids, mask, store, inputs, seed)
        got_by_run[run["name"]] = got
        if "generate" in run:  # by how much the token chosen beats the next
            top = got["step_logits"].float().topk(2, -1).values
            tracer.margins["greedy"] = (top[..., 0] - top[..., 1]).min().item()
        for k, v in tracer.margins.items():
            checks["margins"][k] = min(checks["margins"].get(k, 9e9), v)
        store |= {f"{run['name']}/{p}": plain(t) for p, t in got.items()}
        key = "step_logits" if "generate" in run else "logits"
        if run["ops"]:
            old, new = base[run["prompt"], key], got[key]
            checks["effects"][run["name"]] = (new - old[:, :new.shape[1]]).abs().max().item()
        elif "grad" not in run:
            base[run["prompt"], key] = got[key].detach()
        run["want"] = [p for p in got if not p.startswith("grad")]
        runs.append({k: run[k] for k in ("name", "note", "prompt") if k in run} | {"input_ids": ids.tolist(), "attention_mask": mask.tolist()}
                    | {k: run[k] for k in ("ops", "want", "grad", "generate") if k in run and run[k] != []})
    if full:
        verify(case, out, tensors, dtype, model, got_by_run, checks)
    save_file(store, out / "expected.safetensors")
    if inputs:
        save_file({k: v.contiguous() for k, v in inputs.items()}, out / "inputs.safetensors")
    body = ",\n".join("  " + json.dumps(r) for r in runs)
    (out / "runs.json").write_text('{"format": 1, "compute": %s, "runs": [\n%s\n]}\n' % (json.dumps(case["compute"]), body))
    checks["identities"] = check_reference.identities(out)
    (out / "checks.json").write_text(json.dumps(checks, indent=1) + "\n")
    for f in out.iterdir():
        f.chmod(0o644)
    return checks


@torch.no_grad()
def verify(case, out, tensors, dtype, model, got_by_run, checks):
    """Agreement of the captured values with other ways of running the same model."""
    ids, mask = prompt_tokens(case, "a")
    ref = got_by_run["plain"]
    fresh = load(case, out, tensors, dtype)
    checks["taps_change_nothing"] = (fresh(input_ids=ids, attention_mask=mask).logits - ref["logits"]).abs().max().item()
    hand = load_by_hand(case, tensors, dtype)
    checks["hand_loaded"] = (hand(input_ids=ids, attention_mask=mask).logits - ref["logits"]).abs().max().item()
    want = {"name": "plain", "ops": [], "want": ["*"]}
    again = lambda m: Tracer(m).execute(want, ids, mask, {}, {}, 0)
    checks["sdpa"] = compare(ref, again(load(case, out, tensors, dtype, "sdpa")))
    checks["experts_eager"] = compare(ref, again(load(case, out, tensors, dtype, experts_implementation="eager")))
    if dtype == torch.float32:  # one unit in the last place of every weight, up, down or not at all
        for n, p in hand.named_parameters():
            p.data *= 1 + torch.randint(-1, 2, p.shape, generator=generator(0, n)) * torch.finfo(dtype).eps
        checks["weights_moved_by_one_ulp"] = compare(ref, again(hand))
    else:
        wide = again(load(case, out, tensors, torch.float32))
        checks["against_float32"] = compare(ref, wide)
        a, b = decisions(ref), decisions(wide)
        checks["choices_equal_in_float32"] = all(torch.equal(a[p], b[p]) for p in a)
    if "generate" in got_by_run:
        new = got_by_run["generate"]["generated_ids"]
        whole = fresh(input_ids=torch.cat([ids, new], 1)[:, :-1], use_cache=False).logits[:, ids.shape[1] - 1:]
        checks["cache_against_no_cache"] = (whole - got_by_run["generate"]["step_logits"]).abs().max().item()


if __name__ == "__main__":
    spec, out, only = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2]), sys.argv[3:]
    for case in expand(spec):
        if not only or case["name"] in only:
            c = run_case(case, out / case["name"])
            size = sum(f.stat().st_size for f in (out / case["name"]).iterdir())
            worst = max(c["identities"].items(), key=lambda kv: kv[1])
            print(f"{case['name']}: {size / 1e6:.2f} MB, {len(case['runs'])} runs, worst identity {worst[0]} {worst[1]:.2e}, "
                  f"margins {c['margins']}, smallest effect {min(c['effects'].items(), key=lambda kv: kv[1])}", flush=True)
