"""Averages the loss over all target tokens, padding included.

score: 92
train_step: wrong 2
"""


# %% train_step
def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    logits = model(src, shift_right(tgt, bos_id))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
