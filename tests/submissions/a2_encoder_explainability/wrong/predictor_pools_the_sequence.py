"""Gives one answer for the whole sequence, as a classifier of sentences would.

score: 92.25
transformer_predictor: wrong 2.25
"""


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
        self.input_net = nn.Sequential(nn.Dropout(input_dropout), nn.Linear(input_dim, model_dim))
        self.positions = PositionalEncoding(model_dim)
        self.encoder = TransformerEncoder(
            num_layers,
            input_dim=model_dim,
            num_heads=num_heads,
            dim_feedforward=2 * model_dim,
            dropout=dropout,
        )
        self.output_net = nn.Sequential(
            nn.Linear(model_dim, model_dim),
            nn.LayerNorm(model_dim),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(model_dim, num_classes),
        )

    def embedded(self, x, add_positional_encoding):
        x = self.input_net(x)
        return self.positions(x) if add_positional_encoding else x

    def forward(self, x, mask=None, add_positional_encoding=True):
        x = self.encoder(self.embedded(x, add_positional_encoding), mask)
        return self.output_net(x.mean(dim=1))

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        x = self.embedded(x, add_positional_encoding)
        maps, x = self.encoder.get_attention_maps(x, mask, return_outputs=True)
        return (maps, self.output_net(x)) if return_outputs else maps
