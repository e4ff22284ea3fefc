"""Builds classes on classes: sequences of blocks, a block that is its own list of parts.

score: 100
"""


# %% transformer_encoder
class TransformerEncoder(nn.Sequential):
    def __init__(self, num_layers, **block_args):
        super().__init__(*[EncoderBlock(**block_args) for _ in range(num_layers)])

    def forward(self, x, mask=None):
        _, x = self.get_attention_maps(x, mask, return_outputs=True)
        return x

    def get_attention_maps(self, x, mask=None, return_outputs=False):
        attention_maps = ()
        for block in self:
            x, attention = block(x, mask=mask, return_attention=True)
            attention_maps += (attention,)
        return (attention_maps, x) if return_outputs else attention_maps


# %% positional_encoding
class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=5000):
        super().__init__()
        columns = torch.arange(d_model)
        angles = torch.outer(torch.arange(max_len), 10000.0 ** (-(columns - columns % 2) / d_model))
        pe = torch.where(columns % 2 == 0, angles.sin(), angles.cos())
        self.register_buffer("pe", pe, persistent=False)

    def forward(self, x):
        return self.pe.narrow(0, 0, x.shape[-2]).add(x)


# %% encoder_block
class EncoderBlock(nn.ModuleDict):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__(
            {
                "attention": MultiheadAttention(input_dim, input_dim, num_heads),
                "up": nn.Linear(input_dim, dim_feedforward),
                "down": nn.Linear(dim_feedforward, input_dim),
                "norm_1": nn.LayerNorm(input_dim),
                "norm_2": nn.LayerNorm(input_dim),
                "drop": nn.Dropout(p=dropout),
            }
        )

    def forward(self, x, mask=None, return_attention=False):
        new, attention = self["attention"](x, mask, return_attention=True)
        x = self["norm_1"](self["drop"](new) + x)
        new = self["down"](torch.relu(self["drop"](self["up"](x))))
        x = self["norm_2"](self["drop"](new) + x)
        return (x, attention) if return_attention else x
