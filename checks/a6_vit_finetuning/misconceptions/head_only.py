"""Known wrong answers to `head_only`."""

from __future__ import annotations

from autograder.checking import Misconception

ALL = "model.requires_grad_(False)"
HEAD = "model.classifier.requires_grad_(True)"

MISCONCEPTIONS = [
    Misconception(
        "everything_frozen",
        "You freeze the head too, so that nothing is left to train. The head is the exception.",
        {HEAD: "pass"},
        price="mathematics",
    ),
    Misconception(
        "head_frozen_instead",
        "You freeze the head and leave the body free. It is the other way round.",
        {ALL: "model.requires_grad_(True)", HEAD: "model.classifier.requires_grad_(False)"},
        price="mathematics",
    ),
    Misconception(
        "layers_only",
        "You freeze the layers of attention alone. The embeddings of patches and positions, the "
        "class token and the last norm belong to the body too.",
        {ALL: "model.vit.layers.requires_grad_(False)"},
        price="mathematics",
    ),
    Misconception(
        "embeddings_only",
        "You freeze the embeddings alone. The layers of attention and the last norm belong to the "
        "body too.",
        {ALL: "model.vit.embeddings.requires_grad_(False)"},
        price="mathematics",
    ),
    Misconception(
        "frozen_copy",
        "You freeze a copy, and the model that was handed in stays as it was. Set the switches of "
        "the model itself.",
        code="""
def head_only(model):
    import copy

    model = copy.deepcopy(model)
    model.requires_grad_(False)
    model.classifier.requires_grad_(True)
    return model
""",
        price="mathematics",
    ),
    Misconception(
        "head_left_as_it_was",
        "You leave the head as you found it, which is right only while it is free. Say what is to "
        "be trained, too.",
        {ALL: "model.vit.requires_grad_(False)", HEAD: "pass"},
        price="edge",
    ),
    Misconception(
        "switched_to_evaluation",
        "You put the model into evaluation mode. That is no way to freeze it, and whoever called "
        "loses the mode.",
        {"return model": "return model.eval()"},
        price="surroundings",
    ),
    Misconception(
        "switched_to_training",
        "You put the model into training mode. Gradients flow in both modes, and it is for the "
        "caller to choose one.",
        {"return model": "return model.train()"},
        price="surroundings",
    ),
    Misconception(
        "bias_set_to_zero",
        "You set numbers of the head to zero. What is trained may change later; here all of them "
        "stay as they are.",
        {"return model": "nn.init.zeros_(model.classifier.bias)\n    return model"},
        price="surroundings",
    ),
    Misconception(
        "dropout_taken_out",
        "You switch the dropout of the body off. Only what is trained is decided here.",
        {
            "return model": (
                "for part in model.vit.modules():\n"
                "        if isinstance(part, nn.Dropout):\n"
                "            part.p = 0.0\n"
                "    return model"
            ),
        },
        price="surroundings",
    ),
    Misconception(
        name="known_by_its_size",
        sentence=(
            "You know the head by the number of classes, and a body may have parameters of that "
            "size, too. Its name tells it apart."
        ),
        replaced={
            "    model.requires_grad_(False)\n    model.classifier.requires_grad_(True)\n": (
                "    for parameter in model.parameters():\n"
                "        parameter.requires_grad_(len(parameter) == model.config.num_labels)\n"
            )
        },
    ),
    Misconception(
        "gradients_cleared",
        "You clear gradients, too. They are those of whoever trains, and stay as they are.",
        {ALL: f"model.zero_grad()\n    {ALL}"},
    ),
    Misconception(
        "bias_frozen",
        "You free the weights of the head and leave its bias frozen. A linear layer has both.",
        {HEAD: "model.classifier.weight.requires_grad_(True)"},
        price="mathematics",
    ),
    Misconception(
        "last_norm_left_free",
        "You leave the norm behind the last layer free. It belongs to the body: the head is one "
        "linear layer.",
        {HEAD: f"{HEAD}\n    model.vit.layernorm.requires_grad_(True)"},
        price="mathematics",
    ),
    Misconception(
        "embeddings_left_free",
        "You leave the embeddings free. Projection, class token and positions belong to the body "
        "too.",
        {
            ALL: (
                "model.vit.layers.requires_grad_(False)\n"
                "    model.vit.layernorm.requires_grad_(False)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "models_remembered",
        "You remember which models you have met and let them be. Meanwhile someone may have set "
        "them free again; a second call knows nothing of the first.",
        code="""
MET = []


def head_only(model):
    if any(model is other for other in MET):
        return model
    MET.append(model)
    model.requires_grad_(False)
    model.classifier.requires_grad_(True)
    return model
""",
        price="edge",
    ),
    Misconception(
        "nothing_frozen",
        "Your function freezes nothing. Each parameter of the body has a switch: is it spelled "
        "right, and set?",
        {ALL: "pass"},
        price="mathematics",
    ),
    Misconception(
        "head_replaced",
        "You put a new head on the model, and what the old one knew is lost. Only switches are to "
        "be set: all numbers stay as they are.",
        {HEAD: ("model.classifier = nn.Linear(model.config.hidden_size, model.config.num_labels)")},
    ),
    Misconception(
        "head_wrapped",
        "You put a part in front of the head, so that the model has another shape than before. "
        "Only switches are to be set: nothing is added.",
        {
            HEAD: (
                "if isinstance(model.classifier, nn.Linear):\n"
                "        model.classifier = nn.Sequential(nn.Dropout(0.1), model.classifier)\n"
                "    model.classifier.requires_grad_(True)"
            )
        },
    ),
    Misconception(
        "weights_alone_frozen",
        "You freeze what is called a weight, and the body's biases, class token and positions stay "
        "free. All parameters of the body are to be frozen, whatever their names.",
        {
            ALL: (
                "for name, one in model.vit.named_parameters():\n"
                '        if name.endswith("weight"):\n'
                "            one.requires_grad_(False)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="body_without_gradients",
        sentence=(
            "You cut gradients off on their way through the model, so that the body learns nothing "
            "even when somebody sets it free again. Only switches of parameters are to be set."
        ),
        replaced={
            "    return model": (
                "    model.vit.forward = torch.no_grad()(model.vit.forward)\n    return model"
            ),
        },
    ),
    Misconception(
        "first_parameter_asked",
        "You freeze the body only if its first parameter is free, and others may be free when that "
        "is not. Say it for every parameter, whatever was frozen before.",
        {
            ALL: "if next(model.vit.parameters()).requires_grad:\n"
            "        model.vit.requires_grad_(False)"
        },
        price="edge",
    ),
    Misconception(
        "head_in_single_precision",
        "You bring the head into another dtype than the body's, so its numbers change, and the two "
        "no longer fit together. Only `requires_grad` is set here.",
        {HEAD: "model.classifier.float().requires_grad_(True)"},
        price="surroundings",
    ),
]
