"""Known wrong answers to `gradient_times_input`."""

from autograder.checking import Misconception

PRODUCT = "(gradient * x).sum(dim=-1)"
LEAF = "    own = x.detach().clone().requires_grad_()\n"

MISCONCEPTIONS = [
    Misconception(
        name="gradient_alone",
        sentence=(
            "You add up the gradient without multiplying it by the input. It says how much a "
            "number would matter, not how much there is of it."
        ),
        replaced={PRODUCT: "gradient.sum(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="size_of_the_gradient",
        sentence=(
            "You return the length of the gradient, which is another method: saliency. Here each "
            "number of the gradient is multiplied by its number of the input."
        ),
        replaced={PRODUCT: "gradient.norm(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="absolute_value",
        sentence=(
            "You take the absolute value, so that what speaks against the answer looks as if it "
            "spoke for it. Negative numbers stay as they are."
        ),
        replaced={PRODUCT: PRODUCT + ".abs()"},
        price="mathematics",
    ),
    Misconception(
        name="absolute_products",
        sentence=(
            "You take absolute values before you add up, so that numbers of one position no "
            "longer cancel. The formula adds the products as they are."
        ),
        replaced={PRODUCT: "(gradient * x).abs().sum(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="positive_part",
        sentence=(
            "You keep the positive part only, as in question 11. Here negative numbers stay as "
            "they are."
        ),
        replaced={PRODUCT: PRODUCT + ".clamp_min(0)"},
        price="mathematics",
    ),
    Misconception(
        name="mean_of_the_numbers",
        sentence="You take the mean over the numbers of a position. The formula adds them up.",
        replaced={PRODUCT: "(gradient * x).mean(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="largest_number",
        sentence=(
            "You take the largest product at each position. The formula adds up all products of "
            "the position."
        ),
        replaced={PRODUCT: "(gradient * x).amax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="shared_out",
        sentence=(
            "You divide by the sum of the row. The function returns the numbers as they are; what "
            "is drawn later divides them."
        ),
        replaced={
            "    return (gradient * x).sum(dim=-1)\n": (
                "    product = (gradient * x).sum(dim=-1)\n"
                "    return product / product.sum(dim=-1, keepdim=True)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="probability_explained",
        sentence=(
            "You differentiate the probability of the predicted class, whose slope fades when the "
            "model is sure. The question asks for its logit."
        ),
        replaced={"[:, position].amax": "[:, position].softmax(dim=-1).amax"},
        price="mathematics",
    ),
    Misconception(
        name="log_probability_explained",
        sentence=(
            "You differentiate the logarithm of the predicted class's probability, as the loss "
            "does. The question asks for its logit."
        ),
        replaced={"[:, position].amax": "[:, position].log_softmax(dim=-1).amax"},
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
        name="all_positions_explained",
        sentence=(
            "You differentiate the largest logits of all positions at once. The question asks "
            "what counted for the answer at one position."
        ),
        replaced={"model(own)[:, position]": "model(own)"},
        price="mathematics",
    ),
    Misconception(
        name="class_of_the_first_sequence",
        sentence=(
            "You explain one class in all sequences, the one that is predicted for the first. Each "
            "sequence has a largest logit of its own."
        ),
        replaced={
            "predicted = model(own)[:, position].amax(dim=-1).sum()": (
                "logits = model(own)[:, position]\n"
                "    predicted = logits[:, logits[0].argmax()].sum()"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="first_sequence_alone",
        sentence=(
            "Only the first sequence of the batch gets its gradient, the others get zeros. Each "
            "sequence has a largest logit of its own."
        ),
        replaced={".amax(dim=-1).sum()": ".amax(dim=-1)[0]"},
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
        name="input_of_the_caller_marked",
        sentence=(
            "You switch the caller's own `x` to requiring gradients. It stays so after the call; "
            "work on a copy that is cut off from it."
        ),
        replaced={LEAF: "    own = x.requires_grad_()\n"},
        price="surroundings",
    ),
    Misconception(
        name="backward_through_the_parameters",
        sentence=(
            "You call `backward`, which also leaves gradients in all parameters of the model. "
            "There is a function that returns the gradients you want and leaves none."
        ),
        replaced={
            "    (gradient,) = torch.autograd.grad(predicted, own)\n": (
                "    predicted.backward()\n    gradient = own.grad\n"
            ),
        },
        price="surroundings",
    ),
    Misconception(
        name="largest_by_absolute_value",
        sentence=(
            "You explain the logit that is furthest from zero. The model predicts the class of the "
            "largest one, which may lie below zero."
        ),
        replaced={
            "    predicted = model(own)[:, position].amax(dim=-1).sum()\n": (
                "    logits = model(own)[:, position]\n"
                "    furthest = logits.abs().argmax(dim=-1, keepdim=True)\n"
                "    predicted = logits.gather(-1, furthest).sum()\n"
            )
        },
    ),
    Misconception(
        name="asked_without_positions",
        sentence=(
            "You ask the model with its positional encoding switched off, so that you explain "
            "another answer than its own."
        ),
        replaced={"model(own)": "model(own, add_positional_encoding=False)"},
    ),
    Misconception(
        name="caller_loses_its_gradients",
        sentence=(
            "You let `x` require gradients and switch that off at the end, also where it was on "
            "before. Work on a tensor of your own."
        ),
        replaced={
            "    own = x.detach().clone().requires_grad_()\n": "    own = x.requires_grad_()\n",
            "    return (gradient * x).sum(dim=-1)": (
                "    result = (gradient * x.detach()).sum(dim=-1)\n"
                "    x.requires_grad_(False)\n"
                "    return result"
            ),
        },
        price="surroundings",
    ),
    Misconception(
        name="positions_left_out",
        sentence=(
            "You set positions to zero and look how the logit changes, which is another method: "
            "occlusion. Here the logit is differentiated, at `x` as it is."
        ),
        code="""def gradient_times_input(model, x, position):
    model.eval()
    with torch.no_grad():
        logits = model(x)[:, position]
        best = logits.argmax(dim=-1, keepdim=True)
        lost = []
        for place in range(x.shape[1]):
            other = x.clone()
            other[:, place] = 0
            lost.append((logits - model(other)[:, position]).gather(-1, best))
    return torch.cat(lost, dim=-1)
""",
        price="mathematics",
    ),
    Misconception(
        name="gradient_at_the_largest_number",
        sentence=(
            "You pick the gradient at the largest number of each position, which is the same for "
            "one-hot inputs alone. The formula adds up all products of the position."
        ),
        replaced={PRODUCT: "gradient.gather(-1, x.argmax(dim=-1, keepdim=True)).squeeze(-1)"},
        price="mathematics",
    ),
    Misconception(
        name="absolute_gradient",
        sentence=(
            "You take the absolute value of the gradient, so that an input that speaks against the "
            "answer looks as if it spoke for it. The formula multiplies by the gradient as it is."
        ),
        replaced={PRODUCT: "(gradient.abs() * x).sum(dim=-1)"},
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
        name="two_numbers_taken_for_granted",
        sentence=(
            "You take the mean of a position's products twice, which is their sum for the two "
            "numbers of the example. A position may have any number of them."
        ),
        replaced={PRODUCT: "2 * (gradient * x).mean(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="negative_products_left_out",
        sentence=(
            "You leave out the negative products before you add up, as question 11 does. In this "
            "formula they are added like all others."
        ),
        replaced={PRODUCT: "(gradient * x).clamp_min(0).sum(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="class_of_the_first_position",
        sentence=(
            "You explain the class that wins at the first position, as if the answer of the whole "
            "sequence stood there. Every position has a largest logit of its own."
        ),
        replaced={
            "    predicted = model(own)[:, position].amax(dim=-1).sum()\n": (
                "    logits = model(own)\n"
                "    first = logits[:, 0].argmax(dim=-1, keepdim=True)\n"
                "    predicted = logits[:, position].gather(1, first).sum()\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="product_at_the_largest_number",
        sentence=(
            "You keep the product at the largest number of each position and leave out the "
            "others, which are nothing for one-hot inputs alone. The formula adds up all products "
            "of the position."
        ),
        replaced={
            PRODUCT: "(gradient * x).gather(-1, x.argmax(dim=-1, keepdim=True)).squeeze(-1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_gradient_on_the_way_from_zero",
        sentence=(
            "You take the mean of the gradients on the way from zero to `x`, which is another "
            "method: integrated gradients. Here the logit is differentiated once, at `x` as it "
            "is."
        ),
        replaced={
            (
                "    own = x.detach().clone().requires_grad_()\n"
                "    predicted = model(own)[:, position].amax(dim=-1).sum()\n"
                "    (gradient,) = torch.autograd.grad(predicted, own)\n"
            ): (
                "    best = model(x)[:, position].argmax(dim=-1, keepdim=True).detach()\n"
                "    gradient = torch.zeros_like(x)\n"
                "    for share in torch.linspace(0.1, 1.0, 10):\n"
                "        own = (share * x).detach().requires_grad_()\n"
                "        predicted = model(own)[:, position].gather(1, best).sum()\n"
                "        gradient = gradient + torch.autograd.grad(predicted, own)[0] / 10\n"
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
            "model(own)[:, position].amax(dim=-1)": "model(own).amax(dim=(1, 2))",
        },
        price="mathematics",
    ),
    Misconception(
        name="gradients_along_a_path",
        sentence=(
            "You add up gradients along a path to the input. The question asks for the one at the"
            " input itself."
        ),
        code="""def gradient_times_input(model, x, position, steps=16):
    model.eval()
    total = torch.zeros_like(x)
    for step in range(1, steps + 1):
        scaled = (x.detach() * step / steps).requires_grad_()
        if step == 1:
            winners = model(x)[:, position].argmax(dim=-1, keepdim=True).detach()
        z = model(scaled)[:, position].gather(1, winners).sum()
        total += torch.autograd.grad(z, scaled)[0]
    return (x * total / steps).sum(dim=-1).detach()
""",
        price="mathematics",
    ),
    Misconception(
        name="one_class_for_the_batch",
        sentence=(
            "You take one class for the whole batch. Each sequence is explained for the class "
            "that the model predicts for it."
        ),
        code="""def gradient_times_input(model, x, position):
    model.eval()
    inputs = x.detach().clone().requires_grad_()
    logits = model(inputs)[:, position]
    z = logits[:, logits.sum(0).argmax()].sum()
    (grad,) = torch.autograd.grad(z, inputs)
    return (grad * x).sum(dim=-1).detach()
""",
        price="mathematics",
    ),
    Misconception(
        name="negative_inputs_left_out",
        sentence=(
            "You add up over the positive numbers of an input alone. Negative ones count as well, "
            "with their sign."
        ),
        replaced={"(gradient * x).sum(dim=-1)": "(gradient * x.clamp(min=0)).sum(dim=-1)"},
        price="mathematics",
    ),
]
