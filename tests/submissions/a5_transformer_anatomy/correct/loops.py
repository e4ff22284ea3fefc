"""Writes sums, maxima and masks as loops.

score: 95
"""


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=512, dropout=0.1):
        super().__init__()
        pe = torch.zeros(1, max_len, d_model)
        for pos in range(max_len):
            for i in range(d_model // 2):
                angle = pos / 10000 ** (2 * i / d_model)
                pe[0, pos, 2 * i] = math.sin(angle)
                pe[0, pos, 2 * i + 1] = math.cos(angle)
        self.register_buffer("pe", pe)
        self.drop = nn.Dropout(p=dropout)

    def forward(self, x):
        rows = [x[:, pos] + self.pe[:, pos] for pos in range(x.shape[1])]
        return self.drop(torch.stack(rows, dim=1))


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    leading, queries, keys = q.shape[:-2], q.shape[-2], k.shape[-2]
    if mask is None:
        mask = torch.ones(queries, keys, dtype=torch.bool, device=q.device)
    mask = mask.expand(*leading, queries, keys).reshape(-1, queries, keys)
    q, k, v = (t.reshape(-1, *t.shape[-2:]) for t in (q, k, v))
    outputs, weights = [], []
    for n in range(len(q)):
        for m in range(queries):
            scores = torch.stack([q[n, m].dot(key) for key in k[n]]) / q.shape[-1] ** 0.5
            scores = torch.where(mask[n, m], scores, float("-inf"))
            exponentials = (scores - scores.max()).exp()
            row = exponentials / exponentials.sum()
            weights.append(row)
            outputs.append(sum(w * value for w, value in zip(row, v[n], strict=True)))
    return (
        torch.stack(outputs).reshape(*leading, queries, -1),
        torch.stack(weights).reshape(*leading, queries, -1),
    )


# %% look_ahead_mask
def create_look_ahead_mask(size):
    rows = []
    for query in range(size):
        rows.append([key <= query for key in range(size)])
    return torch.tensor(rows)[None, None]


# %% greedy_tokens
def greedy_tokens(logits):
    sentences, choices = [], []
    for sentence in logits:
        rows = []
        for position in sentence:
            exponentials = torch.exp(position - position.max())
            rows.append(exponentials / exponentials.sum())
        sentences.append(torch.stack(rows))
        choices.append(torch.stack([row.argmax() for row in rows]))
    return torch.stack(sentences), torch.stack(choices)
