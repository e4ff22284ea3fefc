"""Uses numpy, the length of the loader's data set, and a very negative number for a mask.

score: 95
"""

# %% after headline_dataset
import numpy as np


# %% dot_product_attention
class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.attention_dropout = nn.Dropout(dropout)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, q, k, v, padding_mask=None):
        scores = torch.matmul(q, k.mT).div(math.sqrt(q.shape[-1]))
        if padding_mask is not None:
            bias = torch.zeros_like(padding_mask, dtype=scores.dtype)
            scores = scores + bias.masked_fill(~padding_mask, -1e9)[:, None, None, :]
        return torch.matmul(self.attention_dropout(self.softmax(scores)), v)


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, embed_dim, dropout=0.1, max_len=512):
        super().__init__()
        angles = np.arange(max_len)[:, None] / np.power(
            10000, np.arange(0, embed_dim, 2) / embed_dim
        )
        table = np.zeros((1, max_len, embed_dim))
        table[0, :, 0::2] = np.sin(angles)
        table[0, :, 1::2] = np.cos(angles)
        self.register_buffer("table", torch.tensor(table, dtype=torch.float32))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + self.table[:, : x.shape[1], :])


# %% evaluate
def evaluate(model, loader):
    mode = model.training
    model.eval()
    losses, right = [], 0
    with torch.no_grad():
        for batch in loader:
            output = model(batch["input_ids"], batch["attention_mask"])
            losses += nn.functional.nll_loss(output, batch["labels"], reduction="none").tolist()
            right += (output.argmax(1) == batch["labels"]).sum().item()
    model.train(mode)
    return np.mean(losses), right / len(losses)
