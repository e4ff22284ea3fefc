"""Sets the columns of the silent head to zero in place, in a hook that returns nothing.

score: 95
"""

# %% prediction
PREDICTION = "one"


# %% silence_head
def silence_head(model, layer, head):
    attention = model.encoder.layer[layer - 1].attention.self
    width = attention.attention_head_size

    def hook(module, inputs, output):
        output[0][:, :, width * (head - 1) : width * head] = 0.0

    return attention.register_forward_hook(hook)
