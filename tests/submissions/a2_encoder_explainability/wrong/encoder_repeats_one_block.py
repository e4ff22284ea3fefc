"""Multiplies a list of one block, so that all layers share their parameters.

score: 94
transformer_encoder: wrong 0
"""


# %% transformer_encoder
class TransformerEncoder(nn.Module):
    def __init__(self, num_layers, **block_args):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(**block_args)] * num_layers)

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return x

    def get_attention_maps(self, x, mask=None, return_outputs=False):
        maps = []
        for block in self.blocks:
            x, attention = block(x, mask, return_attention=True)
            maps.append(attention)
        return (maps, x) if return_outputs else maps
