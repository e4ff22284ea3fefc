"""Is right in other ways that nobody expects, in every answer.

score: 100
"""


# %% transform
def transform(batch):
    """{"image": N PIL images, "label": N numbers} -> {"pixel_values": (N, 3, 48, 48), "labels"}."""
    from operator import methodcaller

    images = [*map(methodcaller("convert", "RGB"), batch["image"])]
    names = ("pixel_values", "labels")
    return dict(
        zip(names, (processor.preprocess(images, return_tensors="pt")[names[0]], batch["label"]))
    )


# %% collate
def collate_fn(batch):
    """N examples -> {"pixel_values": (N, 3, H, W), "labels": (N,)}."""
    images, labels = [], []
    for example in batch:
        images.append(example["pixel_values"])
        labels.append(int(example["labels"]))
    together = torch.cat(images, dim=0).unflatten(0, (len(images), -1))
    return {"pixel_values": together, "labels": torch.tensor(labels, dtype=torch.long)}


# %% compute_metrics
def compute_metrics(eval_prediction):
    """An EvalPrediction with logits (N, C) and label_ids (N,) -> {"accuracy": share}."""
    rows, truth = eval_prediction.predictions.tolist(), eval_prediction.label_ids.tolist()
    right = [row.index(max(row)) == label for row, label in zip(rows, truth, strict=True)]
    return {"accuracy": right.count(True) / len(right)}


# %% load_model
def load_model(model_name, labels):
    """The pre-trained ViTForImageClassification with a new head for these class names."""
    from transformers import AutoModelForImageClassification

    config = AutoConfig.from_pretrained(model_name)
    config.num_labels = len(labels)
    config.id2label = {number: name for number, name in enumerate(labels)}
    config.label2id = {name: labels.index(name) for name in labels}
    return AutoModelForImageClassification.from_pretrained(
        model_name, config=config, ignore_mismatched_sizes=True
    )


# %% training_setup
class DishTrainer(Trainer):
    """A Trainer that knows how dishes are put into batches, measured and saved."""

    def __init__(self, *given, **named):
        named.setdefault("data_collator", collate_fn)
        named.setdefault("compute_metrics", compute_metrics)
        named.setdefault("processing_class", processor)
        super().__init__(*given, **named)


def make_training_args(output_dir):
    """How to train: a TrainingArguments."""
    from transformers import HfArgumentParser

    wanted = {
        **MACHINE,
        "output_dir": str(output_dir),
        "per_device_train_batch_size": TRAIN_BATCH,
        "per_device_eval_batch_size": EVAL_BATCH,
        "num_train_epochs": EPOCHS,
        "learning_rate": LEARNING_RATE,
        "eval_strategy": "epoch",
        "save_strategy": "no",
        "logging_steps": LOG_STEPS,
        "remove_unused_columns": False,
    }
    (made,) = HfArgumentParser(TrainingArguments).parse_dict(wanted)
    return made


def make_trainer(model, args, train_dataset, eval_dataset):
    """Who trains: a Trainer with these arguments and your functions."""
    return DishTrainer(model, args, train_dataset=train_dataset, eval_dataset=eval_dataset)


# %% head_only
def head_only(model):
    """The model itself, with all but its head frozen."""

    def switch(module, on):
        for parameter in module.parameters(recurse=False):
            parameter.requires_grad_(on)
        for child in module.children():
            switch(child, on or child is model.classifier)

    switch(model, False)
    return model


# %% predict
def predict(logits):
    """(N, C) -> (N,), the most likely class of each row."""
    best = logits[:, 0]
    answer = torch.zeros(logits.shape[0], dtype=torch.int64, device=logits.device)
    for number in range(1, logits.shape[1]):
        challenger = logits[:, number]
        wins = challenger > best
        answer = answer.masked_fill(wins, number)
        best = torch.maximum(best, challenger)
    return answer


# %% patchify
def patchify(image, patch_size):
    """(H, W, C) -> (rows, columns, P, P, C)."""
    height, width, _ = image.shape
    y = torch.arange(height, device=image.device).view(-1, 1, patch_size, 1)
    x = torch.arange(width, device=image.device).view(1, -1, 1, patch_size)
    return image[y, x]


def unpatchify(patches):
    """(rows, columns, P, P, C) -> (H, W, C)."""
    rows, columns, side = patches.shape[:3]
    y = torch.arange(rows * side, device=patches.device)[:, None]
    x = torch.arange(columns * side, device=patches.device)[None, :]
    return patches[y // side, x // side, y % side, x % side]


# %% patch_projection
def make_projection(config):
    """The nn.Conv2d that embeds patches: (N, C, H, W) -> (N, D, rows, columns)."""

    class Patches(nn.Conv2d):
        def __init__(self, channels, vectors, side):
            window = (side,) * 2
            super().__init__(channels, vectors, kernel_size=window, stride=window, padding="valid")

    return Patches(config.num_channels, config.hidden_size, config.patch_size)


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

        def looked(h):
            return self.attention(h, h, h, average_attn_weights=False)[0]

        for norm, part in ((self.norm1, looked), (self.norm2, self.mlp)):
            x = part(norm(x)) + x
        return x


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
        grid = self.projection(pixel_values)
        _, _, rows, columns = grid.shape
        sentence = [self.class_token[:, 0].expand(grid.shape[0], -1)]
        sentence += [grid[:, :, r, c] for r in range(rows) for c in range(columns)]
        hidden = torch.stack(sentence, dim=1) + self.positions
        for block in self.blocks:
            hidden = block(hidden)
        return self.norm(hidden)


# %% position_similarity
def position_similarity(position_embeddings):
    """(1, 1 + N, D) -> (N, N), the cosine similarity of every pair of positions."""
    e = position_embeddings.squeeze(0)[1:]
    unit = e / e.square().sum(dim=1, keepdim=True).sqrt()
    apart = (unit.unsqueeze(1) - unit.unsqueeze(0)).square().sum(dim=-1)
    return 1 - apart / 2


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    """Layers of (B, heads, 1 + N, 1 + N) -> (layers, heads), mean distances in pixels."""
    rows, columns = grid
    n = torch.arange(rows * columns, device=attentions[0].device, dtype=torch.float64)
    place = torch.complex(n % columns, (n / columns).floor()) * patch_size
    apart = (place.unsqueeze(0) - place.unsqueeze(1)).abs().to(attentions[0].dtype)
    found = []
    for layer in attentions:
        _, rest = layer.split([1, len(n)], dim=-2)
        _, rest = rest.split([1, len(n)], dim=-1)
        shares = rest / torch.linalg.vector_norm(rest, ord=1, dim=-1, keepdim=True)
        found.append(torch.einsum("bhij,ij->h", shares, apart) / (len(layer) * len(n)))
    return torch.stack(found, dim=0)


# %% attention_heatmap
def attention_heatmap(attentions, grid, image_size):
    """Attentions of one image -> (heads, H, W), the class token's last look at the patches."""
    rows, columns = grid
    height, width = image_size
    maps = attentions[-1][0, :, 0, 1:].unflatten(-1, (rows, columns))
    wide = F.interpolate(maps, size=width, mode="linear")  # (heads, rows, W)
    return F.interpolate(wide.transpose(1, 2), size=height, mode="linear").transpose(1, 2)


# %% cover
def cover(pixel_values, weights, count, grid):
    """Images (N, C, H, W) with the `count` patches of the largest weights (N, patches) at 0."""
    covered = pixel_values.clone(memory_format=torch.contiguous_format)
    blocks = covered.unflatten(3, (grid[1], -1)).unflatten(2, (grid[0], -1))
    blocks = blocks.permute(0, 2, 4, 1, 3, 5)  # (N, rows, columns, C, h, w), a view
    chosen = weights.argsort(dim=1, descending=True)[:, :count].to(pixel_values.device)
    image = torch.arange(len(weights), device=pixel_values.device)[:, None].expand_as(chosen)
    blocks[image, chosen // grid[1], chosen % grid[1]] = 0
    return covered
