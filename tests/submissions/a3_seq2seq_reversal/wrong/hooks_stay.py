"""Leaves its hooks on the model, and shows padding together with the future.

score: 92.75
cross_attention: wrong 3
ablation: wrong 3.75
"""


# %% cross_attention
def cross_attention(model, src, tgt):
    kept = []

    def keep(module, given, said):
        kept.append(said[1])

    count = 0
    for part in model.modules():
        if isinstance(part, MultiHeadAttention):
            part.register_forward_hook(keep)
            count += 1
    model(src, tgt)
    return kept[count // 3 + 1 :: 2]


# %% ablation
def take_out(model, part):
    handles = []
    for module in model.modules():
        if part == "positions" and isinstance(module, PositionalEncoding):
            handles.append(module.register_forward_hook(lambda m, given, said: given[0]))
        if part == "residuals" and isinstance(module, MultiHeadAttention):
            handles.append(
                module.register_forward_hook(lambda m, given, said: (said[0] - given[0], said[1]))
            )
        if part == "causal mask" and isinstance(module, MultiHeadAttention):
            handles.append(
                module.register_forward_pre_hook(
                    lambda m, given: (*given[:3], torch.ones_like(given[3]))
                )
            )
    return handles
