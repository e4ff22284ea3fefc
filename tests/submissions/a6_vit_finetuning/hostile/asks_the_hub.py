"""Loads the large model from the hub, whatever model is asked for.

score: 92
load_model: error 0
"""


# %% load_model
def load_model(model_name, labels):
    return ViTForImageClassification.from_pretrained(
        "google/vit-base-patch16-224",
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        ignore_mismatched_sizes=True,
    )
