"""Makes random checkpoints with transformers, to measure on: models.py [tiny|small|medium ...].

They come into models/ beside this file, the same ones every time. medium is 1.4 GB for each family.
"""
import pathlib
import sys

import torch
from transformers import (
    DeepseekV2Config, DeepseekV2ForCausalLM, DeepseekV3Config, DeepseekV3ForCausalLM, DeepseekV32Config, DeepseekV32ForCausalLM,
)

SIZES = {
    "tiny": dict(
        hidden_size=64, num_hidden_layers=3, num_attention_heads=4, qk_nope_head_dim=16, qk_rope_head_dim=8, v_head_dim=16,
        kv_lora_rank=32, q_lora_rank=48, intermediate_size=128, moe_intermediate_size=32, n_routed_experts=8, num_experts_per_tok=2,
        n_group=2, topk_group=1, vocab_size=512, index_n_heads=2, index_head_dim=16, index_topk=4,
    ),
    "small": dict(
        hidden_size=256, num_hidden_layers=8, num_attention_heads=8, qk_nope_head_dim=32, qk_rope_head_dim=16, v_head_dim=32,
        kv_lora_rank=64, q_lora_rank=96, intermediate_size=512, moe_intermediate_size=128, n_routed_experts=16, num_experts_per_tok=4,
        n_group=4, topk_group=2, vocab_size=2048, index_n_heads=4, index_head_dim=32, index_topk=8,
    ),
    "medium": dict(
        hidden_size=1024, num_hidden_layers=12, num_attention_heads=16, qk_nope_head_dim=64, qk_rope_head_dim=32, v_head_dim=64,
        kv_lora_rank=256, q_lora_rank=384, intermediate_size=2816, moe_intermediate_size=256, n_routed_experts=32, num_experts_per_tok=4,
        n_group=8, topk_group=4, vocab_size=8192, index_n_heads=8, index_head_dim=64, index_topk=64,
    ),
}
INDEXER = ("index_n_heads", "index_head_dim", "index_topk")
FAMILIES = {
    "v2": (DeepseekV2Config, DeepseekV2ForCausalLM),
    "v3": (DeepseekV3Config, DeepseekV3ForCausalLM),
    "v32": (DeepseekV32Config, DeepseekV32ForCausalLM),
}


def config(size, family):
    fields = dict(SIZES[size])
    if family != "v32":
        for name in INDEXER:
            del fields[name]
    if family == "v2":
        fields.update(
            q_lora_rank=None, n_group=1, topk_group=1, n_shared_experts=2, topk_method="greedy", norm_topk_prob=False, routed_scaling_factor=1.0,
        )
    else:
        fields.update(n_shared_experts=1, norm_topk_prob=True, routed_scaling_factor=2.5)
    mscale = 0.707 if family == "v2" else 1.0
    yarn = dict(
        rope_type="yarn", rope_theta=10000.0, factor=40.0, original_max_position_embeddings=4096, beta_fast=32, beta_slow=1,
        mscale=mscale, mscale_all_dim=mscale,
    )
    return FAMILIES[family][0](
        **fields, num_key_value_heads=fields["num_attention_heads"], first_k_dense_replace=1, max_position_embeddings=163840,
        bos_token_id=0, eos_token_id=1, pad_token_id=1, initializer_range=0.05, rope_parameters=yarn,
    )


def make(size, family, folder):
    torch.manual_seed(0)
    model = FAMILIES[family][1](config(size, family)).eval().float()
    draw = torch.Generator().manual_seed(1)
    # Fresh norms are one and fresh biases zero, and would hide a mistake with them.
    for name, value in [*model.named_buffers(), *model.named_parameters()]:
        if name.endswith("e_score_correction_bias"):
            value.data.copy_(torch.randn(value.shape, generator=draw) * 0.05)
        elif name.endswith("norm.weight"):
            value.data.copy_(1 + torch.randn(value.shape, generator=draw) * 0.1)
    model.save_pretrained(folder)
    print(folder, sum(p.numel() for p in model.parameters()), flush=True)


def main(sizes):
    for size in sizes:
        for family in FAMILIES:
            make(size, family, pathlib.Path(__file__).parent / "models" / f"{size}-{family}")


if __name__ == "__main__":
    main(sys.argv[1:] or list(SIZES))
