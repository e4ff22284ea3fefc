"""Averages the means of the batches and leaves the model in evaluation mode.

score: 92.75
evaluate: wrong 2.75
"""


# %% evaluate
def evaluate(model, loader):
    model.eval()
    losses, accuracies = [], []
    with torch.no_grad():
        for batch in loader:
            log_probs = model(batch["input_ids"], batch["attention_mask"])
            losses.append(nn.functional.nll_loss(log_probs, batch["labels"]).item())
            hits = log_probs.argmax(dim=1) == batch["labels"]
            accuracies.append(hits.float().mean().item())
    return sum(losses) / len(losses), sum(accuracies) / len(accuracies)
