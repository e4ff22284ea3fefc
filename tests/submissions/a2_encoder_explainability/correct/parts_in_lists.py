"""Keeps layers in lists and dictionaries, blocks as children, and returns lists and tuples.

score: 100
"""


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.attention = MultiheadAttention(input_dim, input_dim, num_heads)
        self.lin = nn.ModuleList(
            [nn.Linear(input_dim, dim_feedforward), nn.Linear(dim_feedforward, input_dim)]
        )
        self.norm = nn.ModuleDict({"b": nn.LayerNorm(input_dim), "a": nn.LayerNorm(input_dim)})
        self.p = dropout

    def forward(self, x, mask=None, return_attention=False):
        out, att = self.attention(x, mask, True)
        x = self.norm["a"](F.dropout(out, p=self.p, training=self.training) + x)
        h = F.dropout(F.relu(self.lin[0](x)), self.p, self.training)
        h = F.dropout(self.lin[1](h), self.p, self.training)
        x = self.norm["b"](h + x)
        if return_attention is False:
            return x
        return x, att


# %% transformer_encoder
class TransformerEncoder(nn.Module):
    def __init__(self, num_layers, **block_args):
        super().__init__()
        for i in range(num_layers):
            self.add_module(f"block{i}", EncoderBlock(**block_args))

    def forward(self, x, mask=None):
        for block in self.children():
            x = block(x, mask=mask)
        return x

    def get_attention_maps(self, x, mask=None, return_outputs=False):
        maps = []
        for block in self.children():
            x, a = block(x, mask=mask, return_attention=True)
            maps += [a]
        if return_outputs:
            return [maps, x]
        return tuple(maps)
