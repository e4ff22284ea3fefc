"""Uses PyTorch's fused attention when the weights are not asked for.

score: 100
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(f"{embed_dim=} and {num_heads=} do not fit")
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        with torch.no_grad():
            for layer in (self.qkv_proj, self.o_proj):
                nn.init.xavier_uniform_(layer.weight, gain=1.0)
                layer.bias.zero_()

    def forward(self, x, mask=None, return_attention=False):
        qkv = self.qkv_proj(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        q, k, v = qkv.chunk(3, -1)
        if return_attention:
            values, attention = scaled_dot_product(q, k, v, mask)
            return self.o_proj(values.transpose(1, 2).flatten(2)), attention
        values = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.o_proj(values.transpose(1, 2).flatten(2))


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.att = MultiheadAttention(input_dim, input_dim, num_heads)
        self.linear1 = nn.Linear(input_dim, dim_feedforward)
        self.linear2 = nn.Linear(dim_feedforward, input_dim)
        self.norm1, self.norm2 = nn.LayerNorm(input_dim), nn.LayerNorm(input_dim)
        self.drops = nn.ModuleList(nn.Dropout(dropout) for _ in range(3))

    def forward(self, x, mask=None, return_attention=False):
        found = self.att(x, mask, return_attention)
        attended, attention = found if return_attention else (found, None)
        x = self.norm1(x + self.drops[0](attended))
        hidden = self.drops[1](self.linear1(x)).clamp(min=0)
        x = self.norm2(x + self.drops[2](self.linear2(hidden)))
        return (x, attention) if return_attention else x
