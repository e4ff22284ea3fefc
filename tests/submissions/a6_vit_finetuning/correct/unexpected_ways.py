"""Is right in ways that nobody expects, in every answer.

score: 100
"""


# %% transform
def transform(batch):
    """{"image": N PIL images, "label": N numbers} -> {"pixel_values": (N, 3, 48, 48), "labels"}."""
    arrays = []
    for image in batch["image"]:
        (array,) = processor(image.convert("RGB"))["pixel_values"]
        arrays.append(np.asarray(array))
    return {"pixel_values": torch.from_numpy(np.stack(arrays)), "labels": batch["label"]}


# %% collate
def collate_fn(batch):
    """N examples -> {"pixel_values": (N, 3, H, W), "labels": (N,)}."""
    from torch.utils.data import default_collate

    wanted = ("pixel_values", "labels")
    made = default_collate([{name: example[name] for name in wanted} for example in batch])
    return {"pixel_values": made["pixel_values"], "labels": made["labels"].to(torch.int64)}


# %% compute_metrics
def compute_metrics(eval_prediction):
    """An EvalPrediction with logits (N, C) and label_ids (N,) -> {"accuracy": share}."""
    logits, truth = eval_prediction.predictions, eval_prediction.label_ids
    table = np.zeros((logits.shape[1], logits.shape[1]), dtype=np.int64)
    np.add.at(table, (truth, np.argmax(logits, axis=1)), 1)
    return {"accuracy": float(np.trace(table) / table.sum())}


# %% load_model
def load_model(model_name, labels):
    """The pre-trained ViTForImageClassification with a new head for these class names."""
    numbers = range(len(labels))
    config = AutoConfig.from_pretrained(
        model_name, id2label=dict(zip(numbers, labels)), label2id=dict(zip(labels, numbers))
    )
    made = ViTForImageClassification(config)
    body = ViTModel.from_pretrained(model_name, add_pooling_layer=False)
    made.vit.load_state_dict(body.state_dict())
    return made.eval()


# %% training_setup
def make_training_args(output_dir):
    """How to train: a TrainingArguments."""
    parts = 2 if TRAIN_BATCH % 2 == 0 else 1
    how_much = {
        "per_device_train_batch_size": TRAIN_BATCH // parts,
        "gradient_accumulation_steps": parts,
        "per_device_eval_batch_size": EVAL_BATCH,
        "num_train_epochs": EPOCHS,
        "learning_rate": LEARNING_RATE,
    }
    how_often = {"eval_strategy": "epoch", "save_strategy": "no", "logging_steps": LOG_STEPS}
    rest = {"remove_unused_columns": False, "output_dir": output_dir}
    return TrainingArguments(**(how_much | how_often | rest | MACHINE))


def make_trainer(model, args, train_dataset, eval_dataset):
    """Who trains: a Trainer with these arguments and your functions."""
    return Trainer(
        model=model,
        args=args,
        train_dataset=train_dataset,
        eval_dataset=eval_dataset,
        data_collator=collate_fn,
        compute_metrics=compute_metrics,
        processing_class=processor,
    )


# %% head_only
def head_only(model):
    """The model itself, with all but its head frozen."""
    names = {f"classifier.{name}" for name, _ in model.classifier.named_parameters()}
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name in names
    return model


# %% predict
def predict(logits):
    """(N, C) -> (N,), the most likely class of each row."""
    order = logits.sort(dim=-1, descending=True, stable=True).indices
    return order[..., 0].clone()


# %% patchify
def patchify(image, patch_size):
    """(H, W, C) -> (rows, columns, P, P, C)."""
    bands = torch.stack(image.split(patch_size, dim=0))  # (rows, P, W, C)
    return torch.stack(bands.split(patch_size, dim=2), dim=1)


def unpatchify(patches):
    """(rows, columns, P, P, C) -> (H, W, C)."""
    bands = torch.cat(patches.unbind(dim=1), dim=2)  # (rows, P, W, C)
    return torch.cat(bands.unbind(dim=0), dim=0)


# %% patch_projection
def make_projection(config):
    """The nn.Conv2d that embeds patches: (N, C, H, W) -> (N, D, rows, columns)."""
    side = config.patch_size
    linear = nn.Linear(config.num_channels * side * side, config.hidden_size)
    layer = nn.Conv2d(config.num_channels, config.hidden_size, side, stride=side, bias=True)
    with torch.no_grad():
        layer.weight.copy_(linear.weight.view_as(layer.weight))
        layer.bias.copy_(linear.bias)
    return layer


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
        found = self.norm1(x)
        y = x + self.attention(found, found, found, need_weights=False)[0]
        return y + self.mlp(self.norm2(y))


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
        patches = self.projection(pixel_values).flatten(2).permute(0, 2, 1) + self.positions[:, 1:]
        token = (self.class_token + self.positions[:, :1]).repeat(patches.shape[0], 1, 1)
        x = torch.cat([patches, token], dim=1).roll(1, dims=1)
        return self.norm(nn.Sequential(*self.blocks)(x))


# %% position_similarity
def position_similarity(position_embeddings):
    """(1, 1 + N, D) -> (N, N), the cosine similarity of every pair of positions."""
    e = position_embeddings[0, 1:]
    e = e / e.abs().amax(dim=-1, keepdim=True)
    return F.cosine_similarity(e[:, None, :], e[None, :, :], dim=2)


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    """Layers of (B, heads, 1 + N, 1 + N) -> (layers, heads), mean distances in pixels."""
    spots = [(r, c) for r in range(grid[0]) for c in range(grid[1])]
    apart = torch.tensor(
        [[patch_size * math.dist(a, b) for b in spots] for a in spots], dtype=torch.float64
    ).to(attentions[0].device, attentions[0].dtype)
    means = []
    for layer in attentions:
        far = [
            (layer[:, :, i, 1:] @ apart[i - 1]) / layer[:, :, i, 1:].sum(dim=-1)  # (B, heads)
            for i in range(1, layer.shape[2])
        ]
        means.append(torch.stack(far).mean(dim=(0, 1)))
    return torch.stack(means)


# %% attention_heatmap
def attention_heatmap(attentions, grid, image_size):
    """Attentions of one image -> (heads, H, W), the class token's last look at the patches."""
    last = attentions[-1]

    def stretch(small, large):
        middles = (torch.arange(large, dtype=torch.float64) + 0.5) * small / large - 0.5
        apart = middles.clamp(0, small - 1)[:, None] - torch.arange(small, dtype=torch.float64)
        return (1 - apart.abs()).clamp(min=0).to(last.device, last.dtype)

    maps = last[0, :, 0, 1:].reshape(-1, *grid)
    down, across = map(stretch, grid, image_size)
    return torch.einsum("yr,hrc,xc->hyx", down, maps, across)


# %% cover
def cover(pixel_values, weights, count, grid):
    """Images (N, C, H, W) with the `count` patches of the largest weights (N, patches) at 0."""
    rank = (weights[:, None, :] > weights[:, :, None]).sum(dim=-1)  # (N, patches)
    height, width = pixel_values.shape[-2:]
    y = torch.arange(height, device=weights.device) // (height // grid[0])
    x = torch.arange(width, device=weights.device) // (width // grid[1])
    hidden = (rank < count)[:, y[:, None] * grid[1] + x]  # (N, H, W)
    return pixel_values.masked_fill(hidden.unsqueeze(1).to(pixel_values.device), 0)
