"""Takes its own attention function, whose scale it undoes; drops sentences that are over.

score: 95
"""


# %% greedy_decode
@torch.no_grad()
def greedy_decode(model, input_ids, attention_mask, max_length):
    c = model.config
    ids = torch.full((len(input_ids), 1), c.decoder_start_token_id)
    alive = torch.arange(len(ids))
    while ids.size(1) < max_length and len(alive) > 0:
        logits = model(
            input_ids=input_ids[alive],
            attention_mask=attention_mask[alive],
            decoder_input_ids=ids[alive],
        )[0]
        column = torch.full((len(ids), 1), c.pad_token_id)
        column[alive, 0] = greedy_tokens(logits)[1][:, -1]
        ids = torch.cat([ids, column], dim=1)
        alive = alive[column[alive, 0] != c.eos_token_id]
    return ids


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_model, n_heads * d_kv, bias=False) for _ in range(3))
        self.o = nn.Linear(n_heads * d_kv, d_model, bias=False)
        self.n_heads, self.d_kv = n_heads, d_kv

    def split(self, side):
        return side.view(*side.shape[:-1], self.n_heads, self.d_kv).transpose(1, 2)

    def forward(self, x, memory, mask=None):
        q, k, v = self.split(self.q(x)), self.split(self.k(memory)), self.split(self.v(memory))
        allowed = None if mask is None else mask[:, None, None]
        heads, weights = scaled_dot_product_attention(q * math.sqrt(self.d_kv), k, v, allowed)
        return self.o(heads.transpose(1, 2).flatten(2)), weights
