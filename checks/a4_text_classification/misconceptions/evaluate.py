"""What students get wrong when they measure a model."""

from autograder.checking import Misconception

LOSS = 'nn.functional.nll_loss(log_probs, labels, reduction="sum").item()'
RIGHT = "(log_probs.argmax(dim=-1) == labels).sum().item()"

MISCONCEPTIONS = [
    Misconception(
        name="mean_of_the_batches_means",
        price="edge",
        sentence=(
            "You average the means of the batches, so the headlines of a small last batch count "
            "too much. Add up over headlines and divide once."
        ),
        replaced={
            LOSS: "nn.functional.nll_loss(log_probs, labels).item()",
            RIGHT: "(log_probs.argmax(dim=-1) == labels).float().mean().item()",
            "count += len(labels)": "count += 1",
        },
    ),
    Misconception(
        name="mean_loss_divided_by_headlines",
        price="mathematics",
        sentence=(
            "You add up the batches' mean losses and divide by the number of headlines, which "
            "divides twice. Let the loss sum over its batch."
        ),
        replaced={', reduction="sum"': ""},
    ),
    Misconception(
        name="size_of_the_data_set",
        price="edge",
        sentence=(
            "You divide by the size of the data set. A loader may leave some of it out: count what "
            "it gives."
        ),
        replaced={
            "return loss / count, correct / count": (
                "size = len(loader.dataset)\n    return loss / size, correct / size"
            )
        },
    ),
    Misconception(
        name="last_batch_only",
        price="mathematics",
        sentence=(
            "Your numbers are those of the last batch alone: the totals start anew with each one. "
            "They have to be set to zero before the loop."
        ),
        replaced={
            "loss += ": "loss = ",
            "correct += ": "correct = ",
            "count += ": "count = ",
        },
    ),
    Misconception(
        name="dropout_stays_on",
        price="edge",
        sentence=(
            "You measure with dropout switched on, so a model is worse than it is, and different "
            "each time. Put it into evaluation mode first."
        ),
        replaced={"    model.eval()\n": ""},
    ),
    Misconception(
        name="keeps_gradients",
        price="surroundings",
        sentence=(
            "You measure with gradients switched on, which costs memory for nothing. There is a "
            "context for computing without."
        ),
        replaced={"torch.no_grad()": "torch.enable_grad()"},
    ),
    Misconception(
        name="leaves_in_evaluation_mode",
        price="surroundings",
        sentence=(
            "You leave the model in evaluation mode, so training would go on without dropout. Note "
            "its mode when it comes in."
        ),
        replaced={"    model.train(was_training)\n": ""},
    ),
    Misconception(
        name="always_leaves_in_training_mode",
        price="surroundings",
        sentence=(
            "You put the model into training mode at the end, also when it did not come in it. "
            "Note its mode when it comes in."
        ),
        replaced={"model.train(was_training)": "model.train()"},
    ),
    Misconception(
        name="largest_over_the_batch",
        price="mathematics",
        sentence=(
            "Your `argmax` looks for the largest number over the headlines. The prediction is the "
            "best of a headline's classes."
        ),
        replaced={"argmax(dim=-1) == labels": "argmax(dim=0)[labels] == labels"},
    ),
    Misconception(
        name="counts_right_answers",
        price="mathematics",
        sentence=(
            "Your accuracy is the number of right answers. A share lies between 0 and 1, so one "
            "more step is missing."
        ),
        replaced={"correct / count": "float(correct)"},
    ),
    Misconception(
        name="returns_tensors",
        price="edge",
        sentence=(
            "You return tensors of one element where the question asks for Python floats. Tensors "
            "have a method for that."
        ),
        replaced={
            "return loss / count, correct / count": (
                "return torch.tensor(loss / count), torch.tensor(correct / count)"
            )
        },
    ),
    Misconception(
        name="accuracy_in_percent",
        price="mathematics",
        sentence=(
            "Your accuracy is given in percent. The question asks for the share, a number from "
            "0 to 1."
        ),
        replaced={
            "correct / count": "100 * correct / count",
        },
    ),
    Misconception(
        name="loss_never_divided",
        price="mathematics",
        sentence=("Your loss is the sum over all headlines. The question asks for the mean."),
        replaced={
            "loss / count, ": "loss, ",
        },
    ),
    Misconception(
        name="full_batches_assumed",
        sentence=(
            "You divide by the number of batches times their size, as if the last one were "
            "full. Count the headlines that came."
        ),
        replaced={
            "return loss / count, correct / count": (
                "count = len(loader) * loader.batch_size\n    return loss / count, correct / count"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="gradients_switched_on",
        sentence=(
            "In the end you switch gradients on, also where they were off when you were called. A "
            "`with` block puts back what was there."
        ),
        replaced={
            "    with torch.no_grad():\n": "    torch.set_grad_enabled(False)\n    if True:\n",
            "    model.train(was_training)\n": (
                "    torch.set_grad_enabled(True)\n    model.train(was_training)\n"
            ),
        },
    ),
    Misconception(
        name="mask_left_out",
        price="mathematics",
        sentence=(
            "The model is not given the attention mask of a batch, but one that calls every token "
            "real. Padding then counts as a word."
        ),
        replaced={'batch["attention_mask"])': 'torch.ones_like(batch["attention_mask"]))'},
    ),
    Misconception(
        name="loss_as_mean_of_the_batches_means",
        price="edge",
        sentence=(
            "Your accuracy counts headlines, but your loss is the mean of the batches' means, in "
            "which those of a small last batch count too much. Add up over headlines and divide "
            "once."
        ),
        replaced={
            LOSS: "nn.functional.nll_loss(log_probs, labels).item()",
            "loss / count, ": "loss / len(loader), ",
        },
    ),
    Misconception(
        name="accuracy_as_mean_of_the_batches_means",
        price="edge",
        sentence=(
            "Your loss counts headlines, but your accuracy is the mean of those of the batches, in "
            "which the headlines of a small last batch count too much. Add up over headlines and "
            "divide once."
        ),
        replaced={
            RIGHT: "(log_probs.argmax(dim=-1) == labels).float().mean().item()",
            "correct / count": "correct / len(loader)",
        },
    ),
    Misconception(
        name="every_batch_taken_for_a_full_one",
        price="edge",
        sentence=(
            "You multiply the mean loss of each batch by the size of a full one and divide by as "
            "many headlines as full batches would have. The last batch may be smaller: count what "
            "comes."
        ),
        replaced={
            LOSS: "nn.functional.nll_loss(log_probs, labels).item() * loader.batch_size",
            "count += len(labels)": "count += loader.batch_size",
        },
    ),
    Misconception(
        name="accuracy_of_the_data_set",
        price="edge",
        sentence=(
            "You divide the number of right answers by the size of the data set. A loader may "
            "leave some of it out: count what it gives, as you do for the loss."
        ),
        replaced={"correct / count": "correct / len(loader.dataset)"},
    ),
    Misconception(
        name="loss_divided_by_the_batches",
        price="mathematics",
        sentence=(
            "Your loss is the sum over all headlines divided by the number of batches. The mean is "
            "over headlines."
        ),
        replaced={"loss / count, ": "loss / len(loader), "},
    ),
    Misconception(
        name="softmax_of_probabilities",
        price="mathematics",
        sentence=(
            "Your loss applies a softmax to probabilities. The model returns log-probabilities, "
            "and its softmax is done: choose the loss that takes them as they are."
        ),
        replaced={
            LOSS: "nn.functional.cross_entropy(\n"
            '                log_probs.exp(), labels, reduction="sum"\n'
            "            ).item()"
        },
    ),
    Misconception(
        name="loss_of_the_best_class",
        price="mathematics",
        sentence=(
            "Your loss looks at the most probable class, as if the model were always right. What "
            "the label says does not enter into it."
        ),
        replaced={LOSS: "-log_probs.amax(dim=-1).sum().item()"},
    ),
    Misconception(
        name="loss_rounded",
        price="mathematics",
        sentence=(
            "You round the loss to four digits. Whoever prints it may do so; whoever compares two "
            "needs all."
        ),
        replaced={"loss / count, ": "round(loss / count, 4), "},
    ),
    Misconception(
        name="loss_and_accuracy_rounded",
        price="mathematics",
        sentence=(
            "You round loss and accuracy to four digits. Whoever prints them may do so; whoever "
            "compares two needs all."
        ),
        replaced={
            "return loss / count, correct / count": (
                "return round(loss / count, 4), round(correct / count, 4)"
            )
        },
    ),
    Misconception(
        name="logarithm_of_the_mean_probability",
        price="mathematics",
        sentence=(
            "You take the mean of the probabilities and its logarithm after that. The loss is the "
            "mean of the logarithms, which is not the same."
        ),
        replaced={
            LOSS: "log_probs.exp().gather(1, labels[:, None]).sum().item()",
            "return loss / count, correct / count": (
                "return -math.log(loss / count), correct / count"
            ),
        },
    ),
    Misconception(
        name="first_batch_only",
        price="mathematics",
        sentence=(
            "Your numbers are those of the first batch alone: the loop ends with it. What has to "
            "wait until all batches were seen?"
        ),
        replaced={
            "count += len(labels)\n": "count += len(labels)\n            break\n",
        },
    ),
    Misconception(
        name="mean_over_classes",
        price="mathematics",
        sentence=(
            "You take the mean of the accuracies of the classes, so a headline of a rare class "
            "counts more than others. Each headline counts alike."
        ),
        replaced={
            "loss = correct = count = 0\n": "loss = count = 0\n    right, seen = [], []\n",
            f"correct += {RIGHT}": (
                "right.append(log_probs.argmax(dim=-1) == labels)\n            seen.append(labels)"
            ),
            "    return loss / count, correct / count": (
                "    right, seen = torch.cat(right).float(), torch.cat(seen)\n"
                "    shares = [right[seen == label].mean() for label in seen.unique()]\n"
                "    return loss / count, torch.stack(shares).mean().item()"
            ),
        },
    ),
    Misconception(
        name="labels_smoothed",
        price="mathematics",
        sentence=(
            "Your loss asks for a little of all classes beside the label. That may help while a "
            "model is trained; measured is what it says of the label alone."
        ),
        replaced={
            LOSS: (
                "nn.functional.cross_entropy(\n"
                '                log_probs, labels, reduction="sum", label_smoothing=0.1\n'
                "            ).item()"
            )
        },
    ),
    Misconception(
        name="means_times_a_full_batch",
        price="edge",
        sentence=(
            "You multiply the mean loss of each batch by the size of a full one, though you count "
            "the headlines that come. A mean weighs as much as its own batch is large."
        ),
        replaced={LOSS: "nn.functional.nll_loss(log_probs, labels).item() * loader.batch_size"},
    ),
    Misconception(
        name="gradients_cleared",
        price="surroundings",
        sentence=(
            "You clear the gradients of the model. Whoever measures needs none, and those that "
            "lie there belong to whoever trains."
        ),
        replaced={
            "    model.eval()\n": ("    model.eval()\n    model.zero_grad()\n"),
        },
    ),
    Misconception(
        name="loss_clamped",
        sentence="You limit log-probabilities. What is very wrong then costs too little.",
        code="""@torch.no_grad()
def evaluate(model, loader):
    mode = model.training
    model.eval()
    loss, right, n = 0.0, 0, 0
    for b in loader:
        out = model(b["input_ids"], b["attention_mask"]).clamp(min=-100)
        loss -= out.gather(1, b["labels"][:, None]).sum().item()
        right += (out.argmax(-1) == b["labels"]).sum().item()
        n += len(out)
    model.train(mode)
    return loss / n, right / n
""",
        price="edge",
    ),
    Misconception(
        name="number_of_classes_fixed",
        sentence="You fix the number of classes. The model may tell apart more of them.",
        code="""@torch.no_grad()
def evaluate(model, loader):
    mode = model.training
    model.eval()
    loss, right, n = 0.0, 0, 0
    for b in loader:
        out = model(b["input_ids"], b["attention_mask"])
        target = nn.functional.one_hot(b["labels"], num_classes=4)
        loss += -(out * target).sum().item()
        right += (out.argmax(-1) == b["labels"]).sum().item()
        n += len(out)
    model.train(mode)
    return loss / n, right / n
""",
        price="edge",
    ),
    Misconception(
        name="two_runs_of_the_model",
        sentence=(
            "You run the model twice over the loader. It goes over each batch once, and gives "
            "what both numbers need."
        ),
        code="""@torch.no_grad()
def evaluate(model, loader):
    def run():
        for batch in loader:
            yield model(batch["input_ids"], batch["attention_mask"]), batch["labels"]

    before = model.training
    model.eval()
    losses = [nn.functional.nll_loss(p, y, reduction="none") for p, y in run()]
    hits = [(p.argmax(-1) == y).float() for p, y in run()]
    model.train(before)
    return torch.cat(losses).mean().item(), torch.cat(hits).mean().item()
""",
        price="edge",
    ),
    Misconception(
        name="logarithm_of_an_exponential",
        sentence=(
            "You take the logarithm of an exponential, which is 0 where a class is very "
            "improbable. The model gives logarithms already."
        ),
        code="""def evaluate(model, loader):
    was_training = model.training
    model.eval()
    loss, right, total = 0.0, 0, 0
    with torch.no_grad():
        for batch in loader:
            probs = model(batch["input_ids"], batch["attention_mask"]).exp()
            y = batch["labels"]
            p_y = probs[torch.arange(len(y), device=y.device), y]
            loss -= p_y.log().sum().item()
            right += (probs.argmax(dim=1) == y).sum().item()
            total += len(y)
    model.train(was_training)
    return loss / total, right / total
""",
        price="edge",
    ),
    Misconception(
        name="class_0_left_out",
        sentence=(
            "You leave the first class out of the loss. 0 is a class like the others, and no "
            "padding."
        ),
        code="""@torch.no_grad()
def evaluate(model, loader):
    training = model.training
    model.eval()
    criterion = nn.NLLLoss(ignore_index=0, reduction="sum")
    total_loss = 0.0
    total_correct = 0
    total = 0
    for batch in loader:
        logits = model(batch["input_ids"], batch["attention_mask"])
        total_loss += criterion(logits, batch["labels"]).item()
        total_correct += (logits.argmax(dim=-1) == batch["labels"]).sum().item()
        total += batch["labels"].size(0)
    model.train(training)
    return total_loss / total, total_correct / total
""",
        price="mathematics",
    ),
    Misconception(
        name="mode_of_the_whole_alone",
        price="edge",
        sentence=(
            "The model, or a part of it, is in the other mode while it runs. Set the mode "
            "without asking for it first: what the model says of it need not hold for its parts."
        ),
        replaced={"model.eval()": "if was_training:\n        model.eval()"},
    ),
    Misconception(
        name="half_is_enough",
        price="mathematics",
        sentence=(
            "You count a headline as right where its class has half of the probability. Right is "
            "the one whose class is the most probable of all, with whatever probability."
        ),
        replaced={
            "(log_probs.argmax(dim=-1) == labels).sum()": (
                "(log_probs.exp().gather(1, labels[:, None]) >= 0.5).sum()"
            ),
        },
    ),
]
