"""Knows T5's special ids by heart, and gives its linear layers a bias.

score: 93.5
cross_attention: wrong 7.25
greedy_decode: wrong 5.25
"""


# %% greedy_decode
def greedy_decode(model, input_ids, attention_mask, max_length):
    ids = torch.zeros(len(input_ids), 1, dtype=torch.long)
    over = torch.zeros(len(input_ids), dtype=torch.bool)
    while ids.shape[1] < max_length and not over.all():
        logits = model(
            input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=ids
        ).logits
        best = logits[:, -1].argmax(dim=-1)
        best[over] = 0
        over |= best == 1
        ids = torch.cat([ids, best[:, None]], dim=1)
    return ids


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        self.n_heads = n_heads
        self.q = nn.Linear(d_model, n_heads * d_kv)
        self.k = nn.Linear(d_model, n_heads * d_kv)
        self.v = nn.Linear(d_model, n_heads * d_kv)
        self.o = nn.Linear(n_heads * d_kv, d_model)

    def forward(self, x, memory, mask=None):
        def split(side):
            return side.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

        scores = split(self.q(x)) @ split(self.k(memory)).mT
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None], -torch.inf)
        weights = scores.softmax(dim=-1)
        heads = weights @ split(self.v(memory))
        return self.o(heads.transpose(1, 2).flatten(2)), weights
