"""Makes the layers in another order, so that all numbers drawn under a seed differ.

score: 100
"""


# %% multihead_attention
class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads > 0:
            raise ValueError(f"embed_dim={embed_dim}, but num_heads={num_heads}")
        self.num_heads = num_heads
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.apply(self.start)

    def start(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.xavier_uniform_(module.weight)
            torch.nn.init.zeros_(module.bias)

    def forward(self, x, mask=None, return_attention=False):
        b, l, _ = x.size()
        qkv = self.qkv_proj(x).view(b, l, self.num_heads, -1).permute(0, 2, 1, 3)
        values, attention = scaled_dot_product(*torch.tensor_split(qkv, 3, dim=3), mask=mask)
        output = self.o_proj(values.permute(0, 2, 1, 3).contiguous().view(b, l, -1))
        return (output, attention) if return_attention else output


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.norms = nn.ModuleList([nn.LayerNorm(input_dim), nn.LayerNorm(input_dim)])
        self.mlp = nn.Sequential(
            nn.Linear(input_dim, dim_feedforward),
            nn.ReLU(inplace=True),
            nn.Dropout(dropout),
            nn.Linear(dim_feedforward, input_dim),
            nn.Dropout(dropout),
        )
        self.attend = MultiheadAttention(input_dim, input_dim, num_heads)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None, return_attention=False):
        output, attention = self.attend(x, mask=mask, return_attention=True)
        x = self.norms[0](x + self.drop(output))
        x = self.norms[1](x + self.mlp(x))
        return (x, attention) if return_attention else x


# %% transformer_predictor
class TransformerPredictor(nn.Module):
    def __init__(
        self,
        input_dim,
        model_dim,
        num_classes,
        num_heads,
        num_layers,
        dropout=0.0,
        input_dropout=0.0,
    ):
        super().__init__()
        self.input_dim = input_dim
        self.head = nn.Sequential(
            nn.Linear(model_dim, model_dim),
            nn.LayerNorm(model_dim),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(model_dim, num_classes),
        )
        self.encoder = TransformerEncoder(
            num_layers,
            input_dim=model_dim,
            num_heads=num_heads,
            dim_feedforward=2 * model_dim,
            dropout=dropout,
        )
        self.drop, self.embed = nn.Dropout(input_dropout), nn.Linear(input_dim, model_dim)
        self.encoding = PositionalEncoding(model_dim)

    def forward(self, x, mask=None, add_positional_encoding=True):
        return self.get_attention_maps(x, mask, add_positional_encoding, return_outputs=True)[1]

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        x = self.embed(self.drop(x))
        if add_positional_encoding:
            x = self.encoding(x)
        maps, x = self.encoder.get_attention_maps(x, mask, True)
        if return_outputs:
            return maps, self.head(x)
        return maps
