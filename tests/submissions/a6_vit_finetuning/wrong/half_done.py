"""Prepares the images and stops before the training.

score: 18
load_model: unanswered 0
training_setup: unanswered 0
predict: unanswered 0
patchify: unanswered 0
patch_projection: unanswered 0
position_similarity: unanswered 0
attention_distance: unanswered 0
attention_heatmap: unanswered 0
empty: true
cover: unanswered 0
prediction: unanswered 0
head_only: unanswered 0
vision_transformer: unanswered 0
"""


# %% transform
def transform(batch):
    inputs = processor([x.convert("RGB") for x in batch["image"]], return_tensors="pt")
    return {"pixel_values": inputs["pixel_values"], "labels": batch["label"]}


# %% collate
def collate_fn(batch):
    return {
        "pixel_values": torch.stack([x["pixel_values"] for x in batch]),
        "labels": torch.tensor([x["labels"] for x in batch]),
    }


# %% compute_metrics
def compute_metrics(eval_prediction):
    answers = eval_prediction.predictions.argmax(axis=1)
    return {"accuracy": (answers == eval_prediction.label_ids).mean()}
