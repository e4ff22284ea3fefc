"""Adds the positions always, and uses the rate of the blocks at the input as well.

score: 97.75
transformer_predictor: wrong 7.75
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
        self.input_net = nn.Sequential(nn.Dropout(dropout), nn.Linear(input_dim, model_dim))
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

    def forward(self, x, mask=None, add_positional_encoding=True):
        return self.output_net(self.encoder(self.positions(self.input_net(x)), mask))

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        x = self.positions(self.input_net(x))
        maps, x = self.encoder.get_attention_maps(x, mask, return_outputs=True)
        return (maps, self.output_net(x)) if return_outputs else maps
