"""Takes the last of equally probable tokens, and writes the formula anew in the heads.

score: 95
"""


# %% greedy_tokens
def greedy_tokens(logits):
    probabilities = torch.softmax(logits, dim=-1)
    best = logits.shape[-1] - 1 - probabilities.flip(-1).argmax(dim=-1)
    return probabilities, best


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            layer(x).unflatten(-1, (self.n_heads, self.d_k)).transpose(1, 2)
            for layer, x in ((self.W_q, query), (self.W_k, key), (self.W_v, value))
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(~mask, float("-inf"))
        weights = scores.softmax(dim=-1)
        heads = (self.dropout(weights) @ v).transpose(1, 2).flatten(-2)
        return self.W_o(heads), weights
