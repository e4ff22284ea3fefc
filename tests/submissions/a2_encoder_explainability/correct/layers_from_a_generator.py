"""Runs the layers in a generator that both methods read.

score: 100
"""


# %% transformer_encoder
class TransformerEncoder(nn.Module):
    def __init__(self, num_layers, **block_args):
        super().__init__()
        self.layers = nn.ModuleDict({str(i): EncoderBlock(**block_args) for i in range(num_layers)})

    def _run(self, x, mask):
        for layer in self.layers.values():
            x, a = layer(x, mask=mask, return_attention=True)
            yield x, a

    def forward(self, x, mask=None):
        *_, (x, _) = self._run(x, mask)
        return x

    def get_attention_maps(self, x, mask=None, return_outputs=False):
        found = list(self._run(x, mask))
        maps = [a for _, a in found]
        return (maps, found[-1][0]) if return_outputs else maps
