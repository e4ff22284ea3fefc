"""Makes parameters and convolutions do what linear layers are asked to do.

score: 95
"""


# %% multi_head_attention
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        for name in "qkvo":
            bound = 1 / math.sqrt(d_model)
            self.register_parameter(
                f"W_{name}", nn.Parameter(torch.empty(d_model, d_model).uniform_(-bound, bound))
            )
            self.register_parameter(
                f"b_{name}", nn.Parameter(torch.empty(d_model).uniform_(-bound, bound))
            )

    def forward(self, x_q, x_k, x_v, mask=None):
        def split(x, w, b):
            return (x @ w.T + b).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

        out, att = scaled_dot_product_attention(
            split(x_q, self.W_q, self.b_q),
            split(x_k, self.W_k, self.b_k),
            split(x_v, self.W_v, self.b_v),
            mask,
        )
        return out.transpose(1, 2).flatten(2) @ self.W_o.T + self.b_o, att


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.w1 = nn.Conv1d(d_model, d_ff, 1)
        self.w2 = nn.Conv1d(d_ff, d_model, 1)
        self.n1, self.n2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        x = self.n1(x + self.attention(x, x, x, mask)[0])
        y = self.w2(torch.relu(self.w1(x.transpose(1, 2)))).transpose(1, 2)
        return self.n2(x + y)
