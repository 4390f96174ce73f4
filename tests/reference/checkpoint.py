"""The random checkpoints of make_reference.py: tensor names, shapes and storage as in the released ones, and loading."""
import copy, json, tempfile, zlib
from collections import defaultdict
from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import AutoConfig, AutoModelForCausalLM


def generator(seed, *names):
    return torch.Generator().manual_seed((seed * 1_000_003 + zlib.crc32("/".join(map(str, names)).encode())) % 2**63)


def randn(shape, *key):
    return torch.randn(shape, generator=generator(*key))


def layer_shapes(c, p, dense):
    """Tensor shapes of one decoder block, by the released names."""
    H, n = c["hidden_size"], c["num_attention_heads"]
    nope, rope, v, kv, q = (c[k] for k in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim", "kv_lora_rank", "q_lora_rank"))
    a, s = p + "self_attn.", {}
    if q is None:
        s[a + "q_proj.weight"] = (n * (nope + rope), H)
    else:
        s[a + "q_a_proj.weight"], s[a + "q_a_layernorm.weight"], s[a + "q_b_proj.weight"] = (q, H), (q,), (n * (nope + rope), q)
    s[a + "kv_a_proj_with_mqa.weight"], s[a + "kv_a_layernorm.weight"] = (kv + rope, H), (kv,)
    s[a + "kv_b_proj.weight"], s[a + "o_proj.weight"] = (n * (nope + v), kv), (H, n * v)
    if c.get("attention_bias"):
        for m, d in (("q_a_proj", q), ("kv_a_proj_with_mqa", kv + rope), ("o_proj", H)):
            if d is not None:
                s[a + m + ".bias"] = (d,)
    if "index_topk" in c:
        i, d = a + "indexer.", c["index_head_dim"]
        s[i + "wq_b.weight"], s[i + "wk.weight"] = (c["index_n_heads"] * d, q), (d, H)
        s[i + "k_norm.weight"], s[i + "k_norm.bias"], s[i + "weights_proj.weight"] = (d,), (d,), (c["index_n_heads"], H)
    s[p + "input_layernorm.weight"] = s[p + "post_attention_layernorm.weight"] = (H,)

    def mlp(at, width):
        for m, shape in (("gate_proj", (width, H)), ("up_proj", (width, H)), ("down_proj", (H, width))):
            s[f"{at}.{m}.weight"] = shape
            if c.get("mlp_bias") and c["model_type"] == "deepseek_v2" and ".experts." not in at:
                s[f"{at}.{m}.bias"] = shape[:1]

    if dense:
        mlp(p + "mlp", c["intermediate_size"])
        return s
    s[p + "mlp.gate.weight"] = (c["n_routed_experts"], H)
    if c["model_type"] != "deepseek_v2":
        s[p + "mlp.gate.e_score_correction_bias"] = (c["n_routed_experts"],)
    for e in range(c["n_routed_experts"]):
        mlp(f"{p}mlp.experts.{e}", c["moe_intermediate_size"])
    mlp(p + "mlp.shared_experts", c["moe_intermediate_size"] * c["n_shared_experts"])
    return s


def shapes(c, mtp):
    H, L, s = c["hidden_size"], c["num_hidden_layers"], {"model.embed_tokens.weight": (c["vocab_size"], c["hidden_size"])}
    for i in range(L):
        s |= layer_shapes(c, f"model.layers.{i}.", i < c["first_k_dense_replace"])
    if mtp:  # the multi-token-prediction block, stored after the last block; the model does not use it
        p = f"model.layers.{L}."
        s |= {p + "embed_tokens.weight": (c["vocab_size"], H), p + "enorm.weight": (H,), p + "hnorm.weight": (H,), p + "eh_proj.weight": (H, 2 * H)}
        s |= layer_shapes(c, p, False) | {p + "shared_head.norm.weight": (H,), p + "shared_head.head.weight": (c["vocab_size"], H)}
    s["model.norm.weight"] = (H,)
    if not c.get("tie_word_embeddings"):
        s["lm_head.weight"] = (c["vocab_size"], H)
    return s


def make_tensor(name, shape, seed, tied):
    x = randn(shape, seed, name)
    if name.endswith("norm.weight"):
        return 1 + 0.2 * x
    if name.endswith("e_score_correction_bias"):
        return 0.15 * x
    if name.endswith(".bias"):
        return 0.2 * x
    if "embed_tokens" in name:
        return x / 5 if tied else x
    return x * (1.5 if name.endswith(("mlp.gate.weight", "lm_head.weight")) else 1.0) / shape[-1] ** 0.5


FP8 = ("_proj.weight", "kv_a_proj_with_mqa.weight", "wq_b.weight", "wk.weight")


def quantise(w, power_of_two):
    """Released FP8: float8_e4m3fn values and one float32 scale per 128x128 block, the edge blocks smaller."""
    r, k = -(-w.shape[0] // 128), -(-w.shape[1] // 128)
    scale = torch.stack([torch.stack([w[i * 128:i * 128 + 128, j * 128:j * 128 + 128].abs().max() for j in range(k)]) for i in range(r)]) / 448
    if power_of_two:  # scale_fmt ue8m0
        scale = torch.exp2(torch.ceil(torch.log2(scale)))
    return (w / spread(scale, w.shape)).to(torch.float8_e4m3fn), scale


def spread(scale, shape):
    return scale.repeat_interleave(128, 0)[:shape[0]].repeat_interleave(128, 1)[:, :shape[1]]


def dequantised(tensors):
    return {n: t.float() * spread(tensors[n + "_scale_inv"], t.shape) if t.dtype == torch.float8_e4m3fn else t.float()
            for n, t in tensors.items() if not n.endswith("_scale_inv")}


def write_checkpoint(case, out):
    c, store, tensors = case["config"], case["store"], {}
    for name, shape in shapes(c, case.get("mtp")).items():
        w = make_tensor(name, shape, case["seed"], c["tie_word_embeddings"])
        if store == "float8" and name.endswith(FP8) and "eh_proj" not in name and "weights_proj" not in name:
            tensors[name], tensors[name + "_scale_inv"] = quantise(w, c["quantization_config"].get("scale_fmt") == "ue8m0")
        else:
            keep = name.endswith(("e_score_correction_bias", "k_norm.weight", "k_norm.bias"))
            tensors[name] = w if keep or store == "float32" else w.to(torch.bfloat16)
    n = case.get("shards", 1)
    (out / "config.json").write_text(json.dumps(c, indent=2) + "\n")
    if n == 1:
        save_file(tensors, out / "model.safetensors", metadata={"format": "pt"})
        return tensors
    size = lambda t: t.numel() * t.element_size()
    total, at, files, where = sum(map(size, tensors.values())), 0, defaultdict(dict), {}
    for name, t in tensors.items():  # consecutive tensors, so a block may straddle two files as in the releases
        f = f"model-{min(n, 1 + at * n // total):05d}-of-{n:05d}.safetensors"
        files[f][name], where[name], at = t, f, at + size(t)
    for f, part in files.items():
        save_file(part, out / f, metadata={"format": "pt"})
    (out / "model.safetensors.index.json").write_text(json.dumps({"metadata": {"total_size": total}, "weight_map": where}, indent=2) + "\n")
    return tensors


def load(case, out, tensors, dtype, attention="eager", **kw):
    """The model as from_pretrained reads the folder. transformers 5.23 takes the FP8 block size from the shape of
    the scale grid, which is wrong on ragged tensors, so an FP8 case is loaded from its dequantised float32 weights."""
    if "experts" in case:
        kw.setdefault("experts_implementation", case["experts"])
    with tempfile.TemporaryDirectory() as tmp:
        if case["store"] == "float8":
            out = Path(tmp)
            (out / "config.json").write_text(json.dumps({k: v for k, v in case["config"].items() if k != "quantization_config"}))
            save_file(dequantised(tensors), out / "model.safetensors", metadata={"format": "pt"})
        model = AutoModelForCausalLM.from_pretrained(out, dtype=dtype, attn_implementation=attention, **kw).eval()
        model.generation_config.eos_token_id = None  # generation never stops early
        return model


def load_by_hand(case, tensors, dtype):
    """The same model filled in without from_pretrained's conversions: experts stacked here, dtypes set here."""
    c = AutoConfig.for_model(**{k: v for k, v in copy.deepcopy(case["config"]).items() if k != "quantization_config"})
    c._attn_implementation = "eager"
    if "experts" in case:
        c._experts_implementation = case["experts"]
    model, w = AutoModelForCausalLM.from_config(c).float().eval(), dequantised(tensors)
    L, stack = c.num_hidden_layers, lambda p, m: torch.stack([w.pop(f"{p}experts.{e}.{m}.weight") for e in range(c.n_routed_experts)])
    w = {n: t for n, t in w.items() if not n.startswith(f"model.layers.{L}.")}
    for p in [n[:-len("gate.weight")] for n in w if n.endswith("mlp.gate.weight")]:
        w[p + "experts.gate_up_proj"] = torch.cat([stack(p, "gate_proj"), stack(p, "up_proj")], 1)
        w[p + "experts.down_proj"] = stack(p, "down_proj")
    if c.tie_word_embeddings:
        w["lm_head.weight"] = w["model.embed_tokens.weight"]
    model.load_state_dict(w, strict=True)
    for n, t in [*model.named_parameters(), *model.named_buffers()]:
        if "inv_freq" not in n and "e_score_correction_bias" not in n:
            t.data = t.data.to(dtype)
    return model
