"""Changes the configuration first, and loads the weights into it.

score: 100
"""

# %% load_model
from transformers import AutoConfig


def load_model(model_name, labels):
    config = AutoConfig.from_pretrained(model_name)
    config.id2label = {}
    config.label2id = {}
    for number, label in enumerate(labels):
        config.id2label[number] = label
        config.label2id[label] = number
    return ViTForImageClassification.from_pretrained(
        model_name, config=config, ignore_mismatched_sizes=True
    )


# %% patch_projection
def make_projection(config):
    layer = nn.LazyConv2d(config.hidden_size, config.patch_size, stride=config.patch_size)
    layer(torch.zeros(1, config.num_channels, config.patch_size, config.patch_size))
    return layer
