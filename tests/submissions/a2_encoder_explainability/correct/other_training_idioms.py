"""Moves the classes to the second axis, clears gradients before and after the step, and decorates.

score: 100
"""


# %% training_step
def train_step(model, x, y, optimizer):
    model.train(True)
    logits = model(F.one_hot(x, num_classes=model.input_dim).to(torch.float32))
    loss = nn.CrossEntropyLoss()(logits.transpose(1, 2), y)
    right = (logits.max(dim=2).indices == y).sum()
    model.zero_grad()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad(set_to_none=False)
    return float(loss.detach()), (right / y.numel()).item()


@torch.inference_mode()
def eval_step(model, x, y):
    model.train(False)
    hot = torch.eye(model.input_dim)[x]
    logs = model(hot).log_softmax(dim=-1)
    loss = -logs.gather(-1, y[..., None]).mean()
    return loss.item(), torch.eq(logs.argmax(-1), y).double().mean().item()


# %% reverse_dataset
class ReverseDataset(data.Dataset):
    def __init__(self, num_categories, seq_len, size):
        super().__init__()
        self.num_categories = num_categories
        self.seq_len = seq_len
        self.size = size
        self.x = (torch.rand(size, seq_len) * num_categories).long()

    def __len__(self):
        return self.size

    def __getitem__(self, idx):
        return self.x[idx], torch.fliplr(self.x[idx][None])[0]
