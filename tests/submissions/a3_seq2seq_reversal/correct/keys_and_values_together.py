"""Makes keys and values in one layer, and gives the decoder its attentions in a list.

score: 95
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.queries = nn.Linear(d_model, d_model)
        self.keys_values = nn.Linear(d_model, 2 * d_model)
        self.proj = nn.Linear(d_model, d_model)
        self.num_heads = num_heads

    def forward(self, x_q, x_k, x_v, mask=None):
        size = x_q.shape[-1]
        keys, values = self.keys_values(x_k)[..., :size], self.keys_values(x_v)[..., size:]
        q, k, v = (
            torch.stack(part.chunk(self.num_heads, dim=-1), dim=1)
            for part in (self.queries(x_q), keys, values)
        )
        output, weights = scaled_dot_product_attention(q, k, v, mask)
        return self.proj(torch.cat(output.unbind(dim=1), dim=-1)), weights


# %% decoder_block
class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attentions = nn.ModuleList(MultiHeadAttention(d_model, num_heads) for _ in "ab")
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in "abc")
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        for attention, norm, keys, mask in zip(
            self.attentions, self.norms, (None, memory), (self_mask, cross_mask), strict=False
        ):
            keys = x if keys is None else keys
            x = norm(x + attention(x, keys, keys, mask)[0])
        return self.norms[2](x + self.down(torch.relu(self.up(x))))
