"""Gives the silent head values of zero, whatever its weights.

score: 95
"""


# %% silence_head
def silence_head(model, layer, head):
    inside = model.encoder.layer[layer - 1].attention.self
    numbers = torch.arange(inside.all_head_size)
    alive = numbers // inside.attention_head_size != head - 1

    def hook(module, inputs, values):
        return values * alive.to(values)

    return inside.value.register_forward_hook(hook)
