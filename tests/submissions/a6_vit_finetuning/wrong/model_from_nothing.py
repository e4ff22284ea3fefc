"""Makes a model of the right shape with random weights, and freezes its body.

score: 92
load_model: wrong 0
"""

# %% load_model
from transformers import AutoConfig


def load_model(model_name, labels):
    config = AutoConfig.from_pretrained(
        model_name,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
    )
    model = ViTForImageClassification(config)
    for parameter in model.vit.parameters():
        parameter.requires_grad = False
    return model
