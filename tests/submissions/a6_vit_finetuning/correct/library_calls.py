"""Prefers what libraries have ready: sklearn, cosine_similarity, topk, the auto classes.

score: 100
"""

# %% compute_metrics
from sklearn.metrics import accuracy_score


def compute_metrics(eval_prediction):
    logits, labels = eval_prediction
    return {"accuracy": accuracy_score(labels, np.argmax(logits, axis=1))}


# %% load_model
from transformers import AutoModelForImageClassification


def load_model(model_name, labels):
    return AutoModelForImageClassification.from_pretrained(
        model_name,
        id2label={number: label for number, label in enumerate(labels)},
        label2id=dict(zip(labels, range(len(labels)), strict=True)),
        ignore_mismatched_sizes=True,
    )


# %% predict
def predict(logits):
    return torch.topk(logits, k=1, dim=1).indices.squeeze(1)


# %% patch_projection
def make_projection(config):
    size = (config.patch_size, config.patch_size)
    return torch.nn.Conv2d(
        in_channels=config.num_channels,
        out_channels=config.hidden_size,
        kernel_size=size,
        stride=size,
        padding=0,
        bias=True,
    )


# %% position_similarity
def position_similarity(position_embeddings):
    places = position_embeddings[0, 1:, :]
    return F.cosine_similarity(places.unsqueeze(1), places.unsqueeze(0), dim=2)


# %% attention_heatmap
def attention_heatmap(attentions, grid, image_size):
    enlarge = nn.Upsample(size=tuple(image_size), mode="bilinear")
    weights = attentions[-1][:, :, 0, 1:]
    return enlarge(weights.view(1, -1, grid[0], grid[1])).squeeze(0)


# %% cover
def cover(pixel_values, weights, count, grid):
    kept = torch.ones_like(weights).scatter(1, weights.topk(count).indices, 0)
    kept = F.interpolate(kept.view(-1, 1, *grid), size=pixel_values.shape[-2:], mode="nearest")
    return pixel_values * kept.to(pixel_values)
