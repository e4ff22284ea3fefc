"""Known wrong answers to `attention_gradient`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="negative_part_kept",
        sentence=(
            "You keep what speaks against the answer, so that it cancels what speaks for it. Only "
            "the positive part counts."
        ),
        replaced={".clamp_min(0)": ""},
        price="mathematics",
    ),
    Misconception(
        name="absolute_value",
        sentence=(
            "You take the absolute value, so that what speaks against the answer counts as much as "
            "what speaks for it. Only the positive part counts."
        ),
        replaced={".clamp_min(0)": ".abs()"},
        price="mathematics",
    ),
    Misconception(
        name="mean_before_positive_part",
        sentence=(
            "You take the mean over the heads first and the positive part after, so that heads "
            "cancel each other. Look at the order in the formula."
        ),
        replaced={".clamp_min(0).mean(dim=1)": ".mean(dim=1).clamp_min(0)"},
        price="mathematics",
    ),
    Misconception(
        name="gradient_alone",
        sentence=(
            "You use the gradient without the attention weights, so that positions count which "
            "were hardly looked at. The formula multiplies both."
        ),
        replaced={"(gradient * attention)": "gradient"},
        price="mathematics",
    ),
    Misconception(
        name="attention_alone",
        sentence=(
            "You add up attention without its gradient, so that the answer has no say in the "
            "explanation."
        ),
        replaced={"(gradient * attention)": "attention"},
        price="mathematics",
    ),
    Misconception(
        name="relevance_not_kept",
        sentence=(
            "Each layer replaces the relevance so far instead of adding to it, as if there were no "
            "residual connections. See the rule for R."
        ),
        replaced={"relevance + helpful @ relevance": "helpful @ relevance"},
        price="mathematics",
    ),
    Misconception(
        name="elementwise_product",
        sentence=(
            "You multiply the new layer and the relevance entry by entry. Going through a position "
            "in between needs a matrix product."
        ),
        replaced={"helpful @ relevance": "helpful * relevance"},
        price="mathematics",
    ),
    Misconception(
        name="last_layer_first",
        sentence=(
            "Your layers are multiplied in the opposite order. A layer reads what those before it "
            "have made, so the first stands on the right and the last on the left."
        ),
        replaced={"helpful @ relevance": "relevance @ helpful"},
        price="mathematics",
    ),
    Misconception(
        name="column_for_row",
        sentence=(
            "You return a column of R, which says what one input did for all positions. The "
            "question asks what all inputs did for one position."
        ),
        replaced={"relevance[:, position]": "relevance[:, :, position]"},
        price="mathematics",
    ),
    Misconception(
        name="probability_explained",
        sentence=(
            "You differentiate the probability of the predicted class, whose slope fades when the "
            "model is sure. The question asks for its logit."
        ),
        replaced={
            "logits[:, position].amax": "logits[:, position].softmax(dim=-1).amax",
        },
        price="mathematics",
    ),
    Misconception(
        name="all_classes_explained",
        sentence=(
            "You differentiate the sum of all logits at the position, which does not depend on "
            "what the model predicts there. The question asks for the largest one."
        ),
        replaced={".amax(dim=-1).sum()": ".sum()"},
        price="mathematics",
    ),
    Misconception(
        name="left_in_training_mode",
        sentence=(
            "You explain the model in training mode, where dropout gives another explanation at "
            "each call."
        ),
        replaced={"    model.eval()\n": ""},
        price="edge",
    ),
    Misconception(
        name="all_positions_explained",
        sentence=(
            "You differentiate the largest logits of all positions at once. The question asks "
            "what counted for the answer at one position."
        ),
        replaced={
            "logits[:, position].amax": "logits.amax",
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_summed",
        sentence=("You add the heads of a layer up. The formula takes their mean."),
        replaced={
            ".clamp_min(0).mean(dim=1)": ".clamp_min(0).sum(dim=1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="rows_normalised",
        sentence=(
            "You divide the rows of each layer by their sums, so that layers which hardly "
            "matter count as much as others. In this method nothing has to sum to 1."
        ),
        replaced={
            ".clamp_min(0).mean(dim=1)  # (B, L, L)\n": (
                ".clamp_min(0).mean(dim=1)  # (B, L, L)\n"
                "        helpful = helpful / helpful.sum(dim=-1, keepdim=True).clamp_min(1e-12)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="backward_through_the_parameters",
        sentence=(
            "You call `backward`, which also leaves gradients in all parameters of the model. "
            "There is a function that returns the gradients you want and leaves none."
        ),
        replaced={
            "    gradients = torch.autograd.grad(predicted, attention_maps)\n": (
                "    for attention in attention_maps:\n"
                "        attention.retain_grad()\n"
                "    predicted.backward()\n"
                "    gradients = [attention.grad for attention in attention_maps]\n"
            ),
        },
        price="surroundings",
    ),
    Misconception(
        name="class_of_the_first_sequence",
        sentence=(
            "You explain one class for all sequences, the one that the model predicts for the "
            "first. Each sequence has a prediction of its own."
        ),
        replaced={
            "logits[:, position].amax(dim=-1).sum()": (
                "logits[:, position, logits[0, position].argmax()].sum()"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="largest_logit_of_all_positions",
        sentence=(
            "You differentiate the largest logit of the whole sequence, at whichever position it "
            "stands. The question asks what counted for the answer at one given position."
        ),
        replaced={
            "logits[:, position].amax(dim=-1)": "logits.flatten(1).amax(dim=-1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="large_relevance_cut_off",
        sentence=(
            "You cut relevance off above 10. How large it becomes depends on the model, and "
            "nothing bounds it."
        ),
        replaced={"return relevance[:, position]": "return relevance[:, position].clamp(max=10)"},
        price="edge",
    ),
    Misconception(
        name="asked_without_positions",
        sentence=(
            "You ask for the maps with the positional encoding switched off, so that you explain "
            "another answer than the model's own."
        ),
        replaced={
            "(x, return_outputs=True)": ("(x, add_positional_encoding=False, return_outputs=True)")
        },
    ),
    Misconception(
        name="layers_added_up",
        sentence=(
            "You add the layers up, each as if it read the inputs themselves. It reads what the "
            "layers before it have made: see what the rule multiplies."
        ),
        replaced={"helpful @ relevance": "helpful"},
        price="mathematics",
    ),
    Misconception(
        name="mean_over_the_sequences",
        sentence=(
            "You differentiate the mean over the sequences, so that what one sequence gets depends "
            "on how many others came with it. Ask how the logits of a batch become one number "
            "without that."
        ),
        replaced={".amax(dim=-1).sum()": ".amax(dim=-1).mean()"},
        price="mathematics",
    ),
    Misconception(
        name="own_relevance_taken_away",
        sentence=(
            "You take the identity away at the end. What a position counts for itself is part of "
            "the relevance, and the rule for R does not take it back."
        ),
        replaced={
            "    return relevance[:, position]": (
                "    relevance = relevance - torch.eye(x.shape[1], dtype=x.dtype, "
                "device=x.device)\n    return relevance[:, position]"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="maps_of_another_call",
        sentence=(
            "The maps that you differentiate by did not make your logits, so that there is no "
            "gradient and each position counts for itself alone. One call gives both."
        ),
        replaced={
            "    attention_maps, logits = model.get_attention_maps(x, return_outputs=True)\n": (
                "    attention_maps = model.get_attention_maps(x)\n    logits = model(x)\n"
            ),
            "torch.autograd.grad(predicted, attention_maps)": (
                "torch.autograd.grad(\n"
                "        predicted, attention_maps, allow_unused=True, materialize_grads=True\n"
                "    )"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="evaluation_after_the_maps",
        sentence=(
            "You put the model into evaluation mode when its maps and logits are made, and dropout "
            "has acted on them already."
        ),
        replaced={
            "    model.eval()\n": "",
            "return_outputs=True)\n": "return_outputs=True)\n    model.eval()\n",
        },
        price="edge",
    ),
    Misconception(
        name="mean_gradient_of_each_head",
        sentence=(
            "You take the mean gradient of a head as one weight for its whole map, as Grad-CAM "
            "does. In this rule each attention weight is multiplied by its own gradient."
        ),
        replaced={
            "        helpful = (gradient * attention)": (
                "        gradient = gradient.mean(dim=(-2, -1), keepdim=True)\n"
                "        helpful = (gradient * attention)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_of_positive_gradients_of_each_head",
        sentence=(
            "You take the positive gradients of a head, and their mean as one weight for its whole "
            "map. In this rule each attention weight is multiplied by its own gradient."
        ),
        replaced={
            "        helpful = (gradient * attention)": (
                "        gradient = gradient.clamp_min(0).mean(dim=(-2, -1), keepdim=True)\n"
                "        helpful = (gradient * attention)"
            ),
            ".clamp_min(0).mean(dim=1)": ".mean(dim=1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="gradient_of_the_last_layer_for_all",
        sentence=(
            "You multiply the maps of all layers by the gradient of the last one. Each map has a "
            "gradient of its own, which takes in all that the later layers make of it."
        ),
        replaced={
            "for attention, gradient in zip(attention_maps, gradients, strict=True):\n": (
                "for attention in attention_maps:\n        gradient = gradients[-1]\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_averaged_before_the_product",
        sentence=(
            "You take the means of the maps and of the gradients over the heads and multiply "
            "these. A product of means is no mean of products: look at the order in the formula."
        ),
        replaced={
            "(gradient * attention).clamp_min(0).mean(dim=1)": (
                "(gradient.mean(dim=1) * attention.mean(dim=1)).clamp_min(0)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="positive_gradients_averaged_before_the_product",
        sentence=(
            "You take the positive part of the gradients and the mean over the heads before you "
            "multiply by the map. In the formula the product of each head comes first."
        ),
        replaced={
            "(gradient * attention).clamp_min(0).mean(dim=1)": (
                "gradient.clamp_min(0).mean(dim=1) * attention.mean(dim=1)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="last_layer_alone",
        sentence=(
            "You use the map of the last layer alone. What its positions hold has gone through "
            "the attention of all layers before, and R follows them one by one."
        ),
        replaced={
            "in zip(attention_maps, gradients, strict=True)": (
                "in [(attention_maps[-1], gradients[-1])]"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="rows_divided_at_the_end",
        sentence=(
            "At the end you divide the rows of R, without the identity, by their sums, as another "
            "step of the paper does. In this question nothing has to sum to 1: R is returned as "
            "the rule makes it."
        ),
        replaced={
            "    return relevance[:, position]": (
                "    found = relevance - torch.eye(x.shape[1], dtype=x.dtype)\n"
                "    found = found / found.sum(dim=-1, keepdim=True).clamp_min(1e-12)\n"
                "    return (found + torch.eye(x.shape[1], dtype=x.dtype))[:, position]"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="last_layers_only",
        sentence="You follow the last layers only. The rule goes through all of them.",
        code="""def attention_gradient(model, x, position):
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    z = logits[:, position].max(dim=-1).values.sum()
    gradients = torch.autograd.grad(z, maps)
    relevance = torch.eye(x.shape[1]).repeat(x.shape[0], 1, 1)
    for gradient, attention in list(zip(gradients, maps))[-2:]:
        weighted = (gradient * attention).clamp(min=0).mean(dim=1)
        relevance = relevance + weighted @ relevance
    return relevance[:, position]
""",
        price="mathematics",
    ),
    Misconception(
        name="mean_logit_taken_off",
        sentence=(
            "You differentiate the logit less the mean of all logits. The rule asks for the logit"
            " itself."
        ),
        code="""def attention_gradient(model, x, position):
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    z = (logits[:, position].max(dim=-1).values - logits[:, position].mean(dim=-1)).sum()
    gradients = torch.autograd.grad(z, maps)
    relevance = torch.eye(x.shape[1]).repeat(x.shape[0], 1, 1)
    for gradient, attention in zip(gradients, maps):
        weighted = (gradient * attention).clamp(min=0).mean(dim=1)
        relevance = relevance + weighted @ relevance
    return relevance[:, position]
""",
        price="mathematics",
    ),
    Misconception(
        name="mean_over_active_heads",
        sentence=("You leave heads that add nothing out of the mean. It is taken over all heads."),
        code="""def attention_gradient(model, x, position):
    model.eval()
    maps, logits = model.get_attention_maps(x, return_outputs=True)
    z = logits[:, position, :].max(-1).values.sum()
    grads = torch.autograd.grad(z, maps)
    R = torch.eye(x.shape[1]).expand(x.shape[0], -1, -1)
    for A, dA in zip(maps, grads):
        positive = (A * dA).clamp_min(0)
        active = (positive.flatten(2).sum(-1) > 0).sum(1).clamp_min(1)
        A_bar = positive.sum(1) / active[:, None, None]
        R = R + A_bar @ R
    return R[:, position].detach()
""",
        price="mathematics",
    ),
    Misconception(
        name="log_probability_explained",
        sentence=(
            "You explain the logarithm of the probability, on which the logits of all classes "
            "act. Take the logit of the predicted class."
        ),
        replaced={
            "logits[:, position].amax(dim=-1).sum()": (
                "logits[:, position].log_softmax(dim=-1).amax(dim=-1).sum()"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="gradient_for_the_last_layer_alone",
        sentence=(
            "You weigh the attention of the last layer by its gradient, and that of the others by "
            "nothing. The rule is the same for every layer."
        ),
        replaced={
            "helpful = (gradient * attention)": (
                "last = attention is attention_maps[-1]\n"
                "        helpful = (gradient * attention if last else attention)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="largest_logit_of_the_batch",
        sentence=(
            "You differentiate one logit, the largest of the whole batch, so that all sequences "
            "but one get no gradient. Each sequence has a largest logit of its own: take that "
            "over the classes alone."
        ),
        replaced={".amax(dim=-1).sum()": ".max()"},
        price="mathematics",
    ),
    Misconception(
        name="logit_of_the_first_sequence",
        sentence=(
            "You differentiate the logit of the first sequence alone, so that the others get no "
            "gradient. Each sequence has a prediction to be explained."
        ),
        replaced={".amax(dim=-1).sum()": "[0].max()"},
        price="mathematics",
    ),
]
