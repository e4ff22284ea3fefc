"""Takes PyTorch's fused function for attention and writes everything as short as it goes.

score: 95
"""


# %% dot_product_attention
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.p = dropout

    def forward(self, q, k, v, padding_mask=None):
        mask = None if padding_mask is None else padding_mask[:, None, None, :]
        p = self.p if self.training else 0.0
        return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, dropout_p=p)


# %% headline_dataset
class HeadlineDataset(torch.utils.data.Dataset):
    def __init__(self, columns):
        self.rows = [dict(zip(columns, row)) for row in zip(*columns.values())]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, index):
        return self.rows[index]


# %% evaluate
@torch.inference_mode()
def evaluate(model, loader):
    mode = model.training
    model.eval()
    answers = [(model(b["input_ids"], b["attention_mask"]), b["labels"]) for b in loader]
    model.train(mode)
    log_probs, labels = (torch.cat(parts) for parts in zip(*answers))
    loss = -log_probs[torch.arange(len(labels)), labels].mean()
    return float(loss), float((log_probs.argmax(1) == labels).double().mean())
