"""Hands the optimizer a closure; draws digits by `multinomial`.

score: 100
"""


# %% training_step
def train_step(model, x, y, optimizer):
    model.train()
    seen = {}

    def closure():
        optimizer.zero_grad(set_to_none=True)
        logits = model(F.one_hot(x, model.input_dim).float())
        loss = F.cross_entropy(logits.permute(0, 2, 1), y)
        seen["acc"] = (logits.detach().argmax(2) == y).double().mean().item()
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    return loss.item(), seen["acc"]


def eval_step(model, x, y):
    model.eval()
    with torch.no_grad():
        logits = model(F.one_hot(x, model.input_dim).type(torch.float32))
        loss = F.cross_entropy(logits.reshape(-1, logits.size(-1)), y.view(-1))
        acc = (logits.argmax(-1) == y).float().mean()
    return loss.item(), acc.item()


# %% reverse_dataset
class ReverseDataset(torch.utils.data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        self.size = size
        probs = torch.ones(num_categories)
        draws = torch.multinomial(probs, size * seq_len, replacement=True)
        self.x = draws.view(size, seq_len)
        self.y = self.x[:, torch.arange(seq_len - 1, -1, -1)]

    def __len__(self):
        return self.size

    def __getitem__(self, i):
        return self.x[i].clone(), self.y[i].clone()
