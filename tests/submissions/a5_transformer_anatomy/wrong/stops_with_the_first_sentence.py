"""Ends when one sentence of the batch has ended, and scales the scores as BERT does.

score: 88.25
cross_attention: wrong 3.75
greedy_decode: wrong 3.5
"""


# %% greedy_decode
def greedy_decode(model, input_ids, attention_mask, max_length):
    ids = torch.full((len(input_ids), 1), model.config.decoder_start_token_id)
    while ids.shape[1] < max_length:
        logits = model(
            input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=ids
        ).logits
        best = logits[:, -1].argmax(dim=-1)
        ids = torch.cat([ids, best[:, None]], dim=1)
        if (best == model.config.eos_token_id).any():
            break
    return ids


# %% cross_attention
class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        self.n_heads = n_heads
        self.q = nn.Linear(d_model, n_heads * d_kv, bias=False)
        self.k = nn.Linear(d_model, n_heads * d_kv, bias=False)
        self.v = nn.Linear(d_model, n_heads * d_kv, bias=False)
        self.o = nn.Linear(n_heads * d_kv, d_model, bias=False)

    def forward(self, x, memory, mask=None):
        def split(side):
            return side.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

        q, k, v = split(self.q(x)), split(self.k(memory)), split(self.v(memory))
        if mask is not None:
            mask = mask[:, None, None]
        heads, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.o(heads.transpose(1, 2).flatten(2)), weights
