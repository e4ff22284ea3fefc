"""Attends head by head in a loop and stacks what comes out; hides with a very negative score.

score: 95
"""


# %% scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    d_k = k.shape[-1]
    scores = torch.matmul(q / math.sqrt(d_k), k.mT)
    if mask is not None:
        scores = scores.masked_fill(mask == False, torch.finfo(scores.dtype).min)  # noqa: E712
    weights = nn.functional.softmax(scores, dim=-1)
    return torch.matmul(weights, v), weights


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.attention_dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        pieces = [
            layer(x).chunk(self.n_heads, dim=-1)
            for layer, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        ]
        if mask is not None:
            lengths = query.shape[1], key.shape[1]
            mask = mask.broadcast_to(query.shape[0], self.n_heads, *lengths)
        outputs, maps = [], []
        for head, (q, k, v) in enumerate(zip(*pieces, strict=True)):
            own = None if mask is None else mask[:, head]
            _, weights = scaled_dot_product_attention(q, k, v, own)
            outputs.append(self.attention_dropout(weights) @ v)
            maps.append(weights)
        return self.W_o(torch.cat(outputs, dim=-1)), torch.stack(maps, dim=1)
