"""Trains without the shift, and returns the loss as a tensor.

score: 90
train_step: wrong 0
"""


# %% train_step
def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    optimizer.zero_grad()
    logits = model(src, tgt)
    loss = nn.functional.cross_entropy(logits.transpose(1, 2), tgt, ignore_index=pad_id)
    loss.backward()
    optimizer.step()
    return loss
