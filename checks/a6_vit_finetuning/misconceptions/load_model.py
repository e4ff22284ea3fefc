"""Known wrong answers to `load_model`."""

from __future__ import annotations

from autograder.checking import Misconception

COUNT = "        num_labels=len(labels),\n"
THERE = "        id2label=dict(enumerate(labels)),\n"
BACK = "        label2id={label: number for number, label in enumerate(labels)},\n"
MISMATCH = "        ignore_mismatched_sizes=True,\n"

MISCONCEPTIONS = [
    Misconception(
        "old_head_kept",
        "You load the model as it is, with the head of its old classes. Tell it how many classes "
        "there are now, and what they are called.",
        {COUNT + THERE + BACK: ""},
        price="mathematics",
    ),
    Misconception(
        "classes_without_names",
        "Your head has the right size, but the classes are called LABEL_0, LABEL_1 and so on. Put "
        "both dictionaries of names into the configuration.",
        {THERE + BACK: ""},
        price="edge",
    ),
    Misconception(
        "no_way_back",
        "Your model knows the names of its classes, but not the number of a name. The second "
        "dictionary is missing.",
        {BACK: ""},
        price="edge",
    ),
    Misconception(
        "dictionaries_swapped",
        "Your two dictionaries of names have changed places. Read their names: from what to what "
        "does each lead?",
        {
            THERE: "        id2label={label: number for number, label in enumerate(labels)},\n",
            BACK: "        label2id=dict(enumerate(labels)),\n",
        },
        price="edge",
    ),
    Misconception(
        "names_count_from_one",
        "You number the classes from one, but the model's outputs count from zero.",
        {
            "dict(enumerate(labels))": "dict(enumerate(labels, 1))",
            "number for number, label in enumerate(labels)}": (
                "number for number, label in enumerate(labels, 1)}"
            ),
        },
        price="edge",
    ),
    Misconception(
        "names_in_alphabetical_order",
        "You number the classes in alphabetical order. Their numbers follow from their order in "
        "`labels`.",
        {
            "dict(enumerate(labels))": "dict(enumerate(sorted(labels)))",
            "number for number, label in enumerate(labels)}": (
                "number for number, label in enumerate(sorted(labels))}"
            ),
        },
        price="edge",
    ),
    Misconception(
        "mismatch_is_an_error",
        "Loading stops, because the head in the file has another size than yours. There is an "
        "argument that lets sizes differ; the error message names it.",
        {MISMATCH: ""},
        price="mathematics",
    ),
    Misconception(
        "nothing_pre_trained",
        "You take the configuration of the model but not its weights, so the body is random. "
        "Then there is nothing to fine-tune.",
        code="""
def load_model(model_name, labels):
    names = {"id2label": dict(enumerate(labels)), "label2id": {n: i for i, n in enumerate(labels)}}
    config = AutoConfig.from_pretrained(model_name, num_labels=len(labels), **names)
    return ViTForImageClassification(config)
""",
        price="mathematics",
    ),
    Misconception(
        "body_frozen",
        "You freeze the body and leave only the head to be trained. The question asks for "
        "fine-tuning, in which everything moves.",
        code="""
def load_model(model_name, labels):
    model = ViTForImageClassification.from_pretrained(
        model_name,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        ignore_mismatched_sizes=True,
    )
    for parameter in model.vit.parameters():
        parameter.requires_grad_(False)
    return model
""",
        price="edge",
    ),
    Misconception(
        "head_put_in_by_hand",
        "You put a new layer on the model, but its configuration still describes the old one. What "
        "the classes are called is not known to anybody then.",
        code="""
def load_model(model_name, labels):
    model = ViTForImageClassification.from_pretrained(model_name)
    model.classifier = nn.Linear(model.config.hidden_size, len(labels))
    return model
""",
        price="edge",
    ),
    Misconception(
        "head_of_zeros",
        "You set the weights of the new head to zero. Draw them at random, as the library does.",
        code="""
def load_model(model_name, labels):
    model = ViTForImageClassification.from_pretrained(
        model_name,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        ignore_mismatched_sizes=True,
    )
    nn.init.zeros_(model.classifier.weight)
    return model
""",
        price="edge",
    ),
    Misconception(
        "body_without_a_head",
        "You load the body alone, which returns vectors and no logits. Another class of the same "
        "library has the head for images.",
        code="""
def load_model(model_name, labels):
    from transformers import ViTModel

    return ViTModel.from_pretrained(model_name, num_labels=len(labels))
""",
        price="mathematics",
    ),
    Misconception(
        "fixed_number_of_classes",
        "You write the number of classes into your code. It follows from the list of labels.",
        {"num_labels=len(labels)": "num_labels=8", THERE: "", BACK: ""},
        price="mathematics",
    ),
    Misconception(
        "head_without_bias",
        "Your new head has no bias. It is a linear layer like the one that it replaces.",
        code="""
def load_model(model_name, labels):
    model = ViTForImageClassification.from_pretrained(
        model_name,
        num_labels=len(labels),
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        ignore_mismatched_sizes=True,
    )
    model.classifier.bias = None
    return model
""",
        price="edge",
    ),
    Misconception(
        name="names_written_otherwise",
        sentence=(
            "You write the names of the classes in a way of your own. They are to come back as "
            "they were handed in, letter by letter."
        ),
        replaced={
            "id2label=dict(enumerate(labels))": (
                'id2label={n: label.replace("_", " ") for n, label in enumerate(labels)}'
            )
        },
    ),
    Misconception(
        "seed_set",
        "You set a seed before the head is drawn, so all heads are alike, and whoever calls draws "
        "other numbers from then on. Leave the seed to the caller.",
        {"    return ViT": "    set_seed(SEED)\n    return ViT"},
        price="edge",
    ),
    Misconception(
        "dropout_added",
        "You switch dropout on against overfitting. The file says how the model is made, and it is "
        "to answer the same in training.",
        {
            "        ignore_mismatched_sizes": (
                "        hidden_dropout_prob=0.1,\n        ignore_mismatched_sizes"
            )
        },
        price="surroundings",
    ),
    Misconception(
        "model_kept",
        "You keep the model of the first call and hand it out again. Whoever asks for a second one "
        "gets what the first has trained; load a new one each time.",
        code="""
KEPT = {}


def load_model(model_name, labels):
    key = (model_name, *labels)
    if key not in KEPT:
        KEPT[key] = ViTForImageClassification.from_pretrained(
            model_name,
            num_labels=len(labels),
            id2label=dict(enumerate(labels)),
            label2id={label: number for number, label in enumerate(labels)},
            ignore_mismatched_sizes=True,
        )
    return KEPT[key]
""",
        price="edge",
    ),
    Misconception(
        name="head_drawn_too_large",
        price="edge",
        sentence=(
            "You draw the head's weights anew, with a deviation of 1. Such a head is sure of "
            "anything it says: the library has drawn small numbers already."
        ),
        code="""def load_model(model_name, labels):
    model = ViTForImageClassification.from_pretrained(
        model_name,
        id2label=dict(enumerate(labels)),
        label2id={label: number for number, label in enumerate(labels)},
        ignore_mismatched_sizes=True,
    )
    nn.init.normal_(model.classifier.weight)
    return model
""",
    ),
    Misconception(
        "rows_of_the_old_head",
        "Your head begins with rows of the one in the file, which knows other classes. A new one "
        "is drawn at random.",
        code="""
def load_model(model_name, labels):
    model = ViTForImageClassification.from_pretrained(model_name)
    old, wanted = model.classifier.weight.detach(), len(labels)
    model.classifier = nn.Linear(old.shape[1], wanted)
    with torch.no_grad():
        model.classifier.weight.copy_(old[torch.arange(wanted) % len(old)])
        model.classifier.bias.zero_()
    model.num_labels = wanted
    model.config.id2label = dict(enumerate(labels))
    model.config.label2id = {label: number for number, label in enumerate(labels)}
    return model
""",
        price="edge",
    ),
]
