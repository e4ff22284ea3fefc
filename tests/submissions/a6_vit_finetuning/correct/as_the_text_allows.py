"""Takes the last of equal logits, and loads a model that is in training mode.

score: 100
"""


# %% load_model
def load_model(model_name, labels):
    model = ViTForImageClassification.from_pretrained(
        model_name,
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        ignore_mismatched_sizes=True,
    )
    return model.train()


# %% predict
def predict(logits):
    return logits.shape[-1] - 1 - logits.flip(-1).argmax(dim=-1)
