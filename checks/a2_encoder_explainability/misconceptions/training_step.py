"""Known wrong answers to `training_step`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="gradients_not_cleared",
        sentence=(
            "You never set the gradients to zero, so that each step also follows those of all "
            "steps before. `backward` adds to what is there."
        ),
        replaced={"    optimizer.zero_grad()\n": ""},
        price="learning",
    ),
    Misconception(
        name="gradients_cleared_too_late",
        sentence=(
            "You set the gradients to zero between `backward` and the optimizer's step, so that it "
            "has nothing to follow."
        ),
        replaced={
            "    optimizer.zero_grad()\n    loss.backward()\n": (
                "    loss.backward()\n    optimizer.zero_grad(set_to_none=False)\n"
            )
        },
        price="learning",
    ),
    Misconception(
        name="softmax_twice",
        sentence=(
            "You turn the logits into probabilities before the cross-entropy, which applies the "
            "softmax itself. The loss then never comes near zero."
        ),
        replaced={
            "F.cross_entropy(logits.flatten(0, 1), ": (
                "F.cross_entropy(logits.flatten(0, 1).softmax(dim=-1), "
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="whole_sequences_counted",
        sentence=(
            "Your accuracy counts the sequences that are right from end to end. The question asks "
            "for the share of the digits."
        ),
        replaced={
            "(logits.argmax(dim=-1) == y).float()": (
                "(logits.argmax(dim=-1) == y).all(dim=-1).float()"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="losses_summed",
        sentence=(
            "Your loss is the sum over all digits, so that it and the steps grow with the size of "
            "the batch. The question asks for the mean."
        ),
        replaced={"y.flatten())\n": 'y.flatten(), reduction="sum")\n'},
        price="mathematics",
    ),
    Misconception(
        name="dropout_in_evaluation",
        sentence=(
            "`eval_step` leaves the model in training mode, so that dropout disturbs what you "
            "measure. Switching gradients off does not switch dropout off."
        ),
        replaced={"    model.eval()\n": ""},
        price="edge",
    ),
    Misconception(
        name="gradients_in_evaluation",
        sentence=(
            "`eval_step` builds a graph for gradients that nobody will ask for. Evaluation mode "
            "alone does not prevent it."
        ),
        replaced={
            "    with torch.inference_mode():\n"
            "        loss, accuracy = loss_and_accuracy(model, x, y)\n": (
                "    loss, accuracy = loss_and_accuracy(model, x, y)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="training_mode_forgotten",
        sentence=(
            "`train_step` does not switch to training mode, so that after the first evaluation "
            "dropout is off for good."
        ),
        replaced={"    model.train()\n": ""},
        price="edge",
    ),
    Misconception(
        name="loss_kept_as_a_tensor",
        sentence=(
            "You return the loss as a tensor, which keeps the graph of its step in memory. Return "
            "plain numbers."
        ),
        replaced={
            "    optimizer.step()\n    return loss.item(), ": (
                "    optimizer.step()\n    return loss, "
            )
        },
        price="edge",
    ),
    Misconception(
        name="loss_after_the_step",
        sentence=(
            "You compute loss and accuracy again after the weights have moved. The question asks "
            "for those before the step."
        ),
        replaced={
            "    optimizer.step()\n": (
                "    optimizer.step()\n    loss, accuracy = loss_and_accuracy(model, x, y)\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="accuracy_after_the_step",
        sentence=(
            "Your accuracy is that of weights which have moved; the question asks for the one "
            "before the step. It follows from the logits that the loss was computed from."
        ),
        replaced={
            "    optimizer.step()\n": (
                "    optimizer.step()\n    accuracy = loss_and_accuracy(model, x, y)[1]\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="loss_alone_after_the_step",
        sentence=(
            "Your loss is that of weights which have moved, your accuracy that of the weights "
            "before. The question asks for both before the step."
        ),
        replaced={
            "    optimizer.step()\n": (
                "    optimizer.step()\n    loss = loss_and_accuracy(model, x, y)[0]\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="accuracy_in_percent",
        sentence=(
            "Your accuracy is given in percent. The question asks for the share, a number from "
            "0 to 1."
        ),
        replaced={
            "== y).float().mean()": "== y).float().mean() * 100",
        },
        price="mathematics",
    ),
    Misconception(
        name="right_digits_counted",
        sentence=(
            "You count the digits that are right. The question asks for their share of all digits."
        ),
        replaced={
            "== y).float().mean()": "== y).float().sum()",
        },
        price="mathematics",
    ),
    Misconception(
        name="never_steps",
        sentence=(
            "You compute the gradient and never let the optimizer follow it, so that the "
            "weights stay where they are."
        ),
        replaced={
            "    optimizer.step()\n": "",
        },
        price="learning",
    ),
    Misconception(
        name="loss_summed_over_positions",
        sentence=(
            "Your loss adds up over the positions and takes the mean over the sequences alone, "
            "so that longer sequences have larger losses and larger steps. The mean is over all "
            "positions of all sequences."
        ),
        replaced={
            "F.cross_entropy(logits.flatten(0, 1), y.flatten())": (
                "F.cross_entropy(logits.flatten(0, 1), y.flatten()) * y.shape[1]"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="gradients_cleared_after_the_step_alone",
        sentence=(
            "You clear the gradients after your own step only, so that what somebody left at the "
            "parameters before the call is followed as well. Clear them before you add to them."
        ),
        replaced={
            "    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n": (
                "    loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="classes_brought_forward_by_a_reshape",
        sentence=(
            "You bring the classes to another axis by a reshape, which takes the numbers in the "
            "order in which they lie and so mixes positions and classes. Axes are exchanged by "
            "something else."
        ),
        replaced={
            "F.cross_entropy(logits.flatten(0, 1), y.flatten())": (
                "F.cross_entropy(logits.reshape(len(y), -1, y.shape[1]), y)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="digits_counted_in_the_batch",
        sentence=(
            "Your one-hot vectors are as long as the largest digit of the batch makes them, which "
            "does not fit the model when that digit is not its last. How long they have to be "
            "follows from the model."
        ),
        replaced={"F.one_hot(x, model.input_dim)": "F.one_hot(x)"},
        price="edge",
    ),
    Misconception(
        name="mode_taken_back",
        sentence=(
            "Your `train_step` puts the model back into the mode that it came in. It should leave "
            "the model in training mode."
        ),
        replaced={
            "    model.train()\n": "    before = model.training\n    model.train()\n",
            "    optimizer.step()\n": "    optimizer.step()\n    model.train(before)\n",
        },
    ),
    Misconception(
        name="evaluation_clears_gradients",
        sentence=(
            "Your `eval_step` sets gradients to zero. An evaluation changes nothing but the mode."
        ),
        replaced={
            "    model.eval()\n": (
                "    model.eval()\n"
                "    for parameter in model.parameters():\n"
                "        parameter.grad = None\n"
            )
        },
        price="surroundings",
    ),
    Misconception(
        name="evaluation_in_pieces",
        sentence=(
            "Your `eval_step` goes through the batch in pieces and takes the mean of their means. "
            "A last piece that is smaller then counts as much as a whole one."
        ),
        replaced={
            "        loss, accuracy = loss_and_accuracy(model, x, y)\n    return loss.item()": (
                "        pieces = zip(x.split(64), y.split(64), strict=True)\n"
                "        pairs = [loss_and_accuracy(model, *piece) for piece in pieces]\n"
                "    loss, accuracy = torch.tensor(pairs).mean(dim=0)\n    return loss.item()"
            )
        },
    ),
    Misconception(
        name="accuracy_of_a_second_pass",
        sentence=(
            "You ask the model a second time for the accuracy. Its dropout is another one then, so "
            "that loss and accuracy belong to different logits."
        ),
        replaced={
            "    model.train()\n    loss, accuracy = loss_and_accuracy(model, x, y)\n": (
                "    model.train()\n"
                "    loss, _ = loss_and_accuracy(model, x, y)\n"
                "    _, accuracy = loss_and_accuracy(model, x, y)\n"
            )
        },
    ),
    Misconception(
        name="numbers_rounded",
        sentence=(
            "You round loss and accuracy to four digits. Whoever prints them may do so; whoever "
            "takes a mean of them needs all."
        ),
        replaced={
            "    optimizer.step()\n    return loss.item(), accuracy.item()": (
                "    optimizer.step()\n    return round(loss.item(), 4), round(accuracy.item(), 4)"
            )
        },
        price="edge",
    ),
    Misconception(
        name="parameters_thawed",
        sentence=(
            "Your `train_step` lets all parameters require gradients, so that those that somebody "
            "has frozen move as well. Leave that to whoever made the model."
        ),
        replaced={"    model.train()\n": "    model.train().requires_grad_(True)\n"},
    ),
    Misconception(
        name="gradients_switched_on",
        sentence=(
            "You switch gradients on when you are done, also for a caller who had switched them "
            "off. A `with` block puts back what was there."
        ),
        replaced={
            "    with torch.inference_mode():\n"
            "        loss, accuracy = loss_and_accuracy(model, x, y)\n": (
                "    torch.set_grad_enabled(False)\n"
                "    loss, accuracy = loss_and_accuracy(model, x, y)\n"
                "    torch.set_grad_enabled(True)\n"
            )
        },
    ),
    Misconception(
        name="gradients_clipped",
        sentence=(
            "You make large gradients smaller before the step. The step goes along the gradient of "
            "the loss as it is."
        ),
        replaced={
            "    loss.backward()\n": (
                "    loss.backward()\n    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="labels_made_of_the_digits",
        sentence=(
            "You make the labels of the digits yourself and ignore those that you are given. "
            "What the model should learn is told by `y`, whatever the task is."
        ),
        replaced={
            "    logits = model(": "    y = x.flip(1)\n    logits = model(",
        },
        price="mathematics",
    ),
    Misconception(
        name="long_gradients_clipped",
        sentence=(
            "You limit the length of the gradient, as scripts for large models do, which changes "
            "no step while gradients are short. The step goes along the gradient as it is."
        ),
        replaced={
            "    loss.backward()\n": (
                "    loss.backward()\n    nn.utils.clip_grad_norm_(model.parameters(), 5.0)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="classes_counted_by_the_digits",
        sentence=(
            "You cut the logits into rows that are as long as the one-hot vectors of the input. "
            "How many classes there are is another number, even though this task has as many."
        ),
        replaced={
            "logits.flatten(0, 1)": "logits.reshape(-1, model.input_dim)",
        },
        price="mathematics",
    ),
    Misconception(
        name="step_along_the_sum",
        sentence=(
            "You return the mean over the digits, but your step follows the gradient of their "
            "sum, and so grows with the size of the batch. The gradient is that of the loss that "
            "you return."
        ),
        replaced={
            "    loss.backward()\n": "    (loss * y.numel()).backward()\n",
        },
        price="mathematics",
    ),
    Misconception(
        name="training_asked_of_the_whole",
        price="edge",
        sentence=(
            "The model, or a part of it, is in the other mode while it runs. Set the mode "
            "without asking for it first: what the model says of it need not hold for its parts."
        ),
        replaced={"model.train()": "if not model.training:\n        model.train()"},
    ),
    Misconception(
        name="evaluation_asked_of_the_whole",
        price="edge",
        sentence=(
            "The model, or a part of it, is in the other mode while it runs. Set the mode "
            "without asking for it first: what the model says of it need not hold for its parts."
        ),
        replaced={"model.eval()": "if model.training:\n        model.eval()"},
    ),
    Misconception(
        name="first_group_cleared",
        sentence=(
            "You clear the gradients of the first group of parameters alone. An optimizer may "
            "have several: `zero_grad` clears all."
        ),
        code="""def _measure(model, x, y):
    logits = model(F.one_hot(x, model.input_dim).float())
    loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
    return loss, (logits.argmax(-1) == y).float().mean().item()


def train_step(model, x, y, optimizer):
    model.train()
    loss, accuracy = _measure(model, x, y)
    for p in optimizer.param_groups[0]["params"]:
        p.grad = None
    loss.backward()
    optimizer.step()
    return loss.item(), accuracy


@torch.no_grad()
def eval_step(model, x, y):
    model.eval()
    loss, accuracy = _measure(model, x, y)
    return loss.item(), accuracy
""",
    ),
]
