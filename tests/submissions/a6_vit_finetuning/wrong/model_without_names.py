"""Gives the model a new head, and its classes no names.

score: 98.4
load_model: wrong 6.4
"""


# %% load_model
def load_model(model_name, labels):
    return ViTForImageClassification.from_pretrained(
        model_name, num_labels=len(labels), ignore_mismatched_sizes=True
    )
