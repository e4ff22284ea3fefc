"""Measures with dropout and with gradients, and returns tensors.

score: 92.5
evaluate: wrong 2.5
"""


# %% evaluate
def evaluate(model, loader):
    loss = correct = count = 0
    for batch in loader:
        log_probs = model(batch["input_ids"], batch["attention_mask"])
        loss = loss + nn.functional.nll_loss(log_probs, batch["labels"], reduction="sum")
        correct = correct + (log_probs.argmax(dim=1) == batch["labels"]).sum()
        count += len(batch["labels"])
    return loss / count, correct / count
