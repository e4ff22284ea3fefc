"""Makes the norms first and in the other order, and calls dropout and ReLU as functions.

score: 100
"""


# %% encoder_block
class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.last = nn.LayerNorm(input_dim)
        self.first = nn.LayerNorm(input_dim)
        self.looks = MultiheadAttention(input_dim, input_dim, num_heads)
        self.wide = nn.Linear(input_dim, dim_feedforward)
        self.narrow = nn.Linear(dim_feedforward, input_dim)
        self.rate = dropout

    def drop(self, x):
        return F.dropout(x, self.rate, self.training)

    def forward(self, x, mask=None, return_attention=False):
        looked, weights = self.looks(x, mask=mask, return_attention=True)
        middle = self.first(self.drop(looked) + x)
        thought = self.narrow(self.drop(F.relu(self.wide(middle))))
        output = self.last(self.drop(thought) + middle)
        if return_attention:
            return output, weights
        return output


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
        self.rates = (input_dropout, dropout)
        self.enter = nn.Linear(input_dim, model_dim)
        self.where = PositionalEncoding(model_dim, max_len=500)
        block = {"input_dim": model_dim, "num_heads": num_heads, "dropout": dropout}
        self.think = TransformerEncoder(num_layers, dim_feedforward=model_dim * 2, **block)
        self.mix = nn.Linear(model_dim, model_dim)
        self.norm = nn.LayerNorm(model_dim)
        self.leave = nn.Linear(model_dim, num_classes)

    def begin(self, x, with_positions):
        x = self.enter(F.dropout(x, self.rates[0], self.training))
        if with_positions:
            x = self.where(x)
        return x

    def end(self, x):
        x = F.relu(self.norm(self.mix(x)))
        return self.leave(F.dropout(x, self.rates[1], self.training))

    def forward(self, x, mask=None, add_positional_encoding=True):
        return self.end(self.think(self.begin(x, add_positional_encoding), mask=mask))

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        x = self.begin(x, add_positional_encoding)
        maps, x = self.think.get_attention_maps(x, mask=mask, return_outputs=True)
        return (maps, self.end(x)) if return_outputs else maps
