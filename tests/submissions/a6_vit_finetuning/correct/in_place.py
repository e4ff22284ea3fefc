"""Fills tensors of its own in place, derives classes from the library's, answers with a lambda.

score: 100
"""


# %% transform
def transform(batch):
    found = processor.preprocess(
        images=[
            Image.merge("RGB", [image] * 3) if image.mode == "L" else image.convert("RGB")
            for image in batch["image"]
        ],
        return_tensors="pt",
    )
    found["labels"] = torch.tensor(batch["label"])
    return found


# %% load_model
def load_model(model_name, labels):
    model, _ = ViTForImageClassification.from_pretrained(
        model_name,
        num_labels=len(labels),
        ignore_mismatched_sizes=True,
        output_loading_info=True,
    )
    model.config.id2label = {number: label for number, label in enumerate(labels)}
    model.config.label2id = {label: n for n, label in model.config.id2label.items()}
    return model.train()


# %% predict
predict = lambda logits: logits.log_softmax(1).max(-1).indices


# %% patchify
def patchify(image, patch_size):
    height, width, channels = image.shape
    size = (height // patch_size, width // patch_size, patch_size, patch_size, channels)
    patches = image.new_empty(size)
    for y in range(patch_size):
        for x in range(patch_size):
            patches[:, :, y, x] = image[y::patch_size, x::patch_size]
    return patches


def unpatchify(patches):
    rows, columns, high, wide, channels = patches.shape
    image = patches.new_zeros(rows * high, columns * wide, channels)
    for row in range(rows):
        for column in range(columns):
            top, left = row * high, column * wide
            image[top : top + high, left : left + wide] = patches[row, column]
    return image


# %% patch_projection
class PatchProjection(nn.Conv2d):
    def __init__(self, config):
        size = config.patch_size
        super().__init__(config.num_channels, config.hidden_size, size, size)


def make_projection(config):
    return PatchProjection(config)


# %% position_similarity
def position_similarity(position_embeddings):
    places = position_embeddings.squeeze(0)[1:]
    table = torch.zeros(len(places), len(places)).to(places)
    for i in range(len(places)):
        for j in range(len(places)):
            table[i, j] = F.cosine_similarity(places[i], places[j], dim=0)
    return table


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    number = torch.arange(grid[0] * grid[1])
    down = (number // grid[1])[:, None] - (number // grid[1])[None]
    right = (number % grid[1])[:, None] - (number % grid[1])[None]
    apart = patch_size * torch.hypot(down.double(), right.double())
    found = torch.zeros(len(attentions), attentions[0].shape[1]).to(attentions[0])
    for layer, attention in enumerate(attentions):
        weights = attention.clone()[:, :, 1:, 1:]
        weights /= weights.sum(-1, keepdim=True)
        total = torch.einsum("bhij,ij->h", weights, apart.to(weights))
        found[layer] = total / (weights.shape[0] * weights.shape[-1])
    return found


# %% cover
def cover(pixel_values, weights, count, grid):
    size = pixel_values.shape
    rows, columns = grid
    found = pixel_values.clone(memory_format=torch.contiguous_format)
    cut = found.view(size[0], size[1], rows, size[2] // rows, columns, size[3] // columns)
    for number, order in enumerate(weights.argsort(dim=1, descending=True)[:, :count]):
        cut[number, :, order // columns, :, order % columns] = 0
    return found


# %% prediction
PREDICTION = "hardly any"
