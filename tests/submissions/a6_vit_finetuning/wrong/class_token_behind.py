"""Sets the class token behind the patches, and gives it no position.

score: 95
vision_transformer: wrong 5
"""


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
        y = self.norm1(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


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
        x = torch.cat([patches + self.positions[:, :-1], token], dim=1)
        for block in self.blocks:
            x = block(x)
        return self.norm(x)
