"""Stacks the blocks and stops before the attention maps.

score: 97
transformer_encoder: error 3
"""


# %% transformer_encoder
class TransformerEncoder(nn.Module):
    def __init__(self, num_layers, **block_args):
        super().__init__()
        self.blocks = nn.ModuleList([EncoderBlock(**block_args) for _ in range(num_layers)])

    def forward(self, x, mask=None):
        for block in self.blocks:
            x = block(x, mask)
        return x

    def get_attention_maps(self, x, mask=None, return_outputs=False):
        raise NotImplementedError()
