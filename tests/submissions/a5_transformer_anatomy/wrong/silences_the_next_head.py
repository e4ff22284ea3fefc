"""Counts heads from zero, and predicts by a number.

score: 89
prediction: wrong 0
silence_head: wrong 0
"""

# %% prediction
PREDICTION = 2


# %% silence_head
def silence_head(model, layer, head):
    d_k = model.config.hidden_size // model.config.num_attention_heads

    def hook(module, inputs, answer):
        context = answer[0].clone()
        context[..., d_k * head : d_k * (head + 1)] = 0
        return (context,) + answer[1:]

    return model.encoder.layer[layer - 1].attention.self.register_forward_hook(hook)
