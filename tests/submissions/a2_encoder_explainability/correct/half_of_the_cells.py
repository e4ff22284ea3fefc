"""Keeps helpers in cells of its own, and overwrites names that later cells do not need.

score: 100
"""


# %% after check_positional_encoding
def stacked(size, classes, dropout):
    parts = [nn.Linear(size, size), nn.LayerNorm(size), nn.ReLU(), nn.Dropout(dropout)]
    return nn.Sequential(*parts, nn.Linear(size, classes))


sample_out = sample_x = None


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
        self.a = nn.Sequential(nn.Dropout(input_dropout), nn.Linear(input_dim, model_dim))
        self.b = PositionalEncoding(model_dim)
        self.c = TransformerEncoder(
            num_layers=num_layers,
            input_dim=model_dim,
            num_heads=num_heads,
            dim_feedforward=model_dim + model_dim,
            dropout=dropout,
        )
        self.d = stacked(model_dim, num_classes, dropout)

    def forward(self, x, mask=None, add_positional_encoding=True):
        x = self.a(x)
        x = self.b(x) if add_positional_encoding else x
        return self.d(self.c(x, mask))

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        x = self.a(x)
        x = self.b(x) if add_positional_encoding else x
        maps, outputs = self.c.get_attention_maps(x, mask, return_outputs=True)
        if return_outputs:
            return maps, self.d(outputs)
        return maps


# %% after check_reverse_dataset
def scored(model, digits, labels):
    logits = model(F.one_hot(digits, model.input_dim).float()).reshape(labels.numel(), -1)
    right = logits.argmax(1) == labels.reshape(-1)
    return F.cross_entropy(logits, labels.reshape(-1)), right.float().mean().item()


# %% training_step
def train_step(model, x, y, optimizer):
    model.train()
    optimizer.zero_grad()
    loss, accuracy = scored(model, x, y)
    loss.backward()
    optimizer.step()
    return loss.item(), accuracy


@torch.no_grad()
def eval_step(model, x, y):
    model.eval()
    loss, accuracy = scored(model, x, y)
    return loss.item(), accuracy
