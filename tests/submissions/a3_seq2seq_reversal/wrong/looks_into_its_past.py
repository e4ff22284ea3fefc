"""Takes the decoder's attention to itself for that to the source, and predicts in its own words.

score: 90
cross_attention: wrong 0
prediction: wrong 0
"""


# %% cross_attention
def cross_attention(model, src, tgt):
    kept = []
    attentions = [part for part in model.modules() if isinstance(part, MultiHeadAttention)]
    handles = [
        part.register_forward_hook(lambda module, given, said: kept.append(said[1]))
        for part in attentions
    ]
    model(src, tgt)
    for handle in handles:
        handle.remove()
    return kept[len(attentions) // 3 :: 2]


# %% prediction
CHOICES = ("as before", "stuck", "cheats")
PREDICTION = {"positions": "bad", "causal mask": "as before", "residuals": "a little worse"}
