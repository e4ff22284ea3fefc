"""Norms after each sum, as in the first Transformer, and freezes the layers alone.

score: 87
head_only: wrong 0
vision_transformer: wrong 0
"""


# %% head_only
def head_only(model):
    for name, parameter in model.named_parameters():
        if "layers" in name:
            parameter.requires_grad = False
    return model


# %% vision_transformer
class ViTBlock(nn.Module):
    """One layer of the encoder, norms first: (N, L, D) -> (N, L, D)."""

    def __init__(self, config):
        super().__init__()
        size, inside = config.hidden_size, config.intermediate_size
        self.norm1 = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.attention = nn.MultiheadAttention(size, config.num_attention_heads, batch_first=True)
        self.norm2 = nn.LayerNorm(size, eps=config.layer_norm_eps)
        self.mlp = nn.Sequential(nn.Linear(size, inside), nn.GELU(), nn.Linear(inside, size))

    def forward(self, x):
        """x: (N, L, D) -> (N, L, D)."""
        x = self.norm1(x + self.attention(x, x, x)[0])
        return self.norm2(x + self.mlp(x))


class VisionTransformer(nn.Module):
    """Images become one vector for each token, the class token's first."""

    def __init__(self, config):
        super().__init__()
        size, patches = config.hidden_size, (config.image_size // config.patch_size) ** 2
        self.projection = make_projection(config)
        self.class_token = nn.Parameter(0.02 * torch.randn(1, 1, size))
        self.positions = nn.Parameter(0.02 * torch.randn(1, 1 + patches, size))
        self.blocks = nn.ModuleList(ViTBlock(config) for _ in range(config.num_hidden_layers))
        self.norm = nn.LayerNorm(size, eps=config.layer_norm_eps)

    def forward(self, pixel_values):
        """pixel_values: (N, C, H, W) -> (N, 1 + patches, D)."""
        patches = self.projection(pixel_values).flatten(2).transpose(1, 2)  # (N, patches, D)
        token = self.class_token.expand(len(patches), -1, -1)  # (N, 1, D)
        x = torch.cat([token, patches], dim=1) + self.positions
        for block in self.blocks:
            x = block(x)
        return self.norm(x)
