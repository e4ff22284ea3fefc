"""Takes images, patches, pairs and heads one at a time.

score: 100
"""


# %% transform
def transform(batch):
    pixel_values, labels = [], []
    for image, label in zip(batch["image"], batch["label"], strict=True):
        if image.mode != "RGB":
            image = image.convert("RGB")
        pixel_values.append(processor(images=image, return_tensors="pt").pixel_values[0])
        labels.append(label)
    return {"pixel_values": torch.stack(pixel_values), "labels": labels}


# %% collate
def collate_fn(batch):
    images, labels = [], []
    for example in batch:
        images.append(example["pixel_values"].unsqueeze(0))
        labels.append(int(example["labels"]))
    return dict(pixel_values=torch.cat(images, dim=0), labels=torch.LongTensor(labels))


# %% compute_metrics
def compute_metrics(eval_prediction):
    right = 0
    for row, label in zip(eval_prediction.predictions, eval_prediction.label_ids, strict=True):
        if max(range(len(row)), key=lambda place: row[place]) == label:
            right += 1
    return {"accuracy": right / len(eval_prediction.label_ids)}


# %% predict
def predict(logits):
    classes = []
    for row in logits:
        best = 0
        for place in range(1, len(row)):
            if row[place] > row[best]:
                best = place
        classes.append(best)
    return torch.tensor(classes, device=logits.device)


# %% patchify
def patchify(image, patch_size):
    grid = []
    for top in range(0, image.shape[0], patch_size):
        line = []
        for left in range(0, image.shape[1], patch_size):
            line.append(image[top : top + patch_size, left : left + patch_size])
        grid.append(torch.stack(line))
    return torch.stack(grid)


def unpatchify(patches):
    lines = []
    for row in patches:
        lines.append(torch.cat([patch for patch in row], dim=1))
    return torch.cat(lines, dim=0)


# %% position_similarity
def position_similarity(position_embeddings):
    vectors = position_embeddings[0][1:]
    rows = []
    for one in vectors:
        row = [one.dot(other) / one.norm() / other.norm() for other in vectors]
        rows.append(torch.stack(row))
    return torch.stack(rows)


# %% attention_distance
def attention_distance(attentions, patch_size, grid):
    rows, columns = grid
    table = []
    for a in range(rows * columns):
        line = []
        for b in range(rows * columns):
            down = a // columns - b // columns
            right = a % columns - b % columns
            line.append(patch_size * math.sqrt(down**2 + right**2))
        table.append(line)
    result = []
    for attention in attentions:
        apart = torch.tensor(table, dtype=attention.dtype, device=attention.device)
        heads = []
        for head in range(attention.shape[1]):
            total = 0
            for image in attention[:, head]:
                for place, row in enumerate(image[1:, 1:]):
                    total = total + (row * apart[place]).sum() / row.sum()
            heads.append(total / (attention.shape[0] * rows * columns))
        result.append(torch.stack(heads))
    return torch.stack(result)


# %% attention_heatmap
def attention_heatmap(attentions, grid, image_size):
    maps = []
    for head in attentions[len(attentions) - 1][0]:
        small = torch.stack(
            [head[0, 1 + row * grid[1] : 1 + (row + 1) * grid[1]] for row in range(grid[0])]
        )
        maps.append(F.interpolate(small[None, None], image_size, mode="bilinear")[0, 0])
    return torch.stack(maps)


# %% cover
def cover(pixel_values, weights, count, grid):
    high, wide = pixel_values.shape[2] // grid[0], pixel_values.shape[3] // grid[1]
    covered = pixel_values.clone()
    for image, row in zip(covered, weights.tolist(), strict=True):
        ranked = sorted(range(len(row)), key=lambda patch: -row[patch])
        for patch in ranked[:count]:
            top, left = high * (patch // grid[1]), wide * (patch % grid[1])
            image[:, top : top + high, left : left + wide] = 0
    return covered


# %% head_only
def head_only(model):
    for name, parameter in model.named_parameters():
        parameter.requires_grad = name in ("classifier.weight", "classifier.bias")
    return model
