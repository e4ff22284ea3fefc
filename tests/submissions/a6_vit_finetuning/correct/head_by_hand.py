"""Puts the new head on by hand, and tells the configuration about it.

score: 100
"""


# %% load_model
def load_model(model_name, labels):
    model = ViTForImageClassification.from_pretrained(model_name)
    head = nn.Linear(model.config.hidden_size, len(labels))
    nn.init.trunc_normal_(head.weight, std=model.config.initializer_range)
    nn.init.zeros_(head.bias)
    model.classifier = head
    model.num_labels = len(labels)
    model.config.id2label = dict(enumerate(labels))
    model.config.label2id = {label: number for number, label in enumerate(labels)}
    return model


# %% predict
def predict(logits):
    return torch.softmax(logits, dim=1).max(dim=1)[1]
