"""Its handle throws away every hook of the layer, also those of other heads.

score: 94
silence_head: wrong 4
"""


# %% silence_head
class Handle:
    def __init__(self, module):
        self.module = module

    def remove(self):
        self.module._forward_hooks.clear()


def silence_head(model, layer, head):
    attention = model.encoder.layer[layer - 1].attention.self
    width = attention.attention_head_size

    def hook(module, inputs, answer):
        context = answer[0].clone()
        context[..., width * (head - 1) : width * head] = 0
        return (context,) + answer[1:]

    attention.register_forward_hook(hook)
    return Handle(attention)
