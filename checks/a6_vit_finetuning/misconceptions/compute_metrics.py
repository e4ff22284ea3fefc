"""Known wrong answers to `compute_metrics`."""

from __future__ import annotations

from autograder.checking import Misconception

ANSWERS = "predictions.argmax(axis=-1)"
SHARE = "float((answers == eval_prediction.label_ids).mean())"

MISCONCEPTIONS = [
    Misconception(
        "argmax_over_the_batch",
        "You ask which image has the largest logit of each class, instead of which class has the "
        "largest logit of each image. Check which axis holds the classes.",
        {ANSWERS: "predictions.argmax(axis=0)[: len(eval_prediction.label_ids)]"},
        price="mathematics",
    ),
    Misconception(
        "two_guesses",
        "You count an answer as right when the label is among the two largest logits. The model's "
        "answer is the class with the largest alone.",
        {
            SHARE: (
                "float(\n"
                "        (eval_prediction.predictions.argsort(axis=-1)[:, -2:].T\n"
                "        == eval_prediction.label_ids).any(axis=0).mean()\n"
                "    )"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "argmax_of_everything",
        "You look for the largest number of the whole table, and compare its one place with all "
        "labels. Say along which axis to look.",
        {ANSWERS: "predictions.argmax()"},
        price="mathematics",
    ),
    Misconception(
        "largest_logit_itself",
        "You compare the largest logit with the label. The answer is the place of the largest "
        "number, not the number.",
        {ANSWERS: "predictions.max(axis=-1)"},
        price="mathematics",
    ),
    Misconception(
        "least_likely_class",
        "You pick the class that the model believes in least. Large logits mean likely classes.",
        {ANSWERS: "predictions.argmin(axis=-1)"},
        price="mathematics",
    ),
    Misconception(
        "share_of_wrong_answers",
        "You return the share of wrong answers. The accuracy is that of the right ones.",
        {SHARE: "float((answers != eval_prediction.label_ids).mean())"},
        price="mathematics",
    ),
    Misconception(
        "in_percent",
        "You return percents. The specification asks for a share.",
        {SHARE: "float(100 * (answers == eval_prediction.label_ids).mean())"},
        price="mathematics",
    ),
    Misconception(
        "counted_not_divided",
        "You return how many answers are right. Divide by how many there are.",
        {SHARE: "float((answers == eval_prediction.label_ids).sum())"},
        price="mathematics",
    ),
    Misconception(
        "divided_by_classes",
        "You divide the number of right answers by the number of classes. Divide by the number of "
        "images.",
        {
            SHARE: "float((answers == eval_prediction.label_ids).sum()) "
            "/ eval_prediction.predictions.shape[1]"
        },
        price="mathematics",
    ),
    Misconception(
        "bare_number",
        "You return the number itself. The trainer wants a dictionary, so that every measure has "
        "its name.",
        {f'{{"accuracy": {SHARE}}}': SHARE},
        price="mathematics",
    ),
    Misconception(
        "another_name",
        "You return the accuracy under another name than the specification gives.",
        {'"accuracy": float': '"acc": float'},
        price="mathematics",
    ),
    Misconception(
        "array_of_truths",
        "You return for each image whether its answer is right. One number should remain of them.",
        {SHARE: "answers == eval_prediction.label_ids"},
        price="mathematics",
    ),
    Misconception(
        name="exponentials_of_large_logits",
        price="edge",
        sentence=(
            "You take exponentials of the logits, which are infinite for large ones. The largest "
            "logit is where the largest probability is, so none are needed."
        ),
        replaced={
            ("predictions.argmax(axis=-1)"): (
                "predictions\n"
                "    answers = np.exp(answers) / np.exp(answers).sum(axis=-1, keepdims=True)\n"
                "    answers = answers.argmax(axis=-1)"
            ),
        },
    ),
    Misconception(
        "classes_of_few_bits",
        "You keep the labels in numbers too small for many classes, where they begin anew. Compare "
        "them as they come.",
        {"== eval_prediction.label_ids)": "== eval_prediction.label_ids.astype(np.int8))"},
    ),
    Misconception(
        "logits_in_half_precision",
        "You turn the logits into half precision, in which large ones are all infinite and close "
        "ones are equal.",
        {ANSWERS: 'predictions.astype("float16").argmax(axis=-1)'},
    ),
    Misconception(
        "axis_by_the_name_of_torch",
        "You ask as one asks a tensor, but the trainer hands over NumPy arrays. There an axis has "
        "another name, and some methods of tensors do not exist.",
        {ANSWERS: "predictions.argmax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "arrays_given_to_torch",
        "You give NumPy arrays to a function of torch, which takes only tensors. NumPy has such a "
        "function too; else convert the arrays first.",
        {ANSWERS: "predictions\n    answers = torch.argmax(answers, dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "mean_over_classes",
        "You take the mean of the accuracies of the classes, so an image of a rare class counts "
        "more than others. Each image counts alike.",
        {
            SHARE: (
                "float(\n"
                "        np.mean(\n"
                "            [\n"
                "                (answers[eval_prediction.label_ids == label] == label).mean()\n"
                "                for label in np.unique(eval_prediction.label_ids)\n"
                "            ]\n"
                "        )\n"
                "    )"
            )
        },
        price="mathematics",
    ),
    Misconception(
        "only_sure_answers",
        "You count an answer only where its probability passes a threshold. The class with the "
        "largest logit is the answer, however sure the model is of it.",
        code="""
def compute_metrics(eval_prediction):
    logits = torch.from_numpy(eval_prediction.predictions)
    sure, answers = logits.softmax(dim=-1).max(dim=-1)
    right = (answers.numpy() == eval_prediction.label_ids) & (sure.numpy() > 0.5)
    return {"accuracy": float(right.mean())}
""",
        price="mathematics",
    ),
    Misconception(
        "share_rounded",
        "You round the share. Return it as it is: whoever prints it can round it.",
        {SHARE: "round(float((answers == eval_prediction.label_ids).mean()), 2)"},
        price="mathematics",
    ),
    Misconception(
        "sign_ignored",
        "You look for the largest logit without its sign, so a class that is out of the question "
        "may win.",
        {ANSWERS: "predictions\n    answers = np.abs(answers).argmax(axis=-1)"},
        price="mathematics",
    ),
    Misconception(
        "positive_logit_of_the_label",
        "You call an answer right where the logit of the label is above zero. The class with the "
        "largest logit is the answer, whatever the sign.",
        {
            SHARE: "float((own > 0).mean())",
            "    answers = eval_prediction." + ANSWERS + "\n": (
                "    labels = eval_prediction.label_ids\n"
                "    own = eval_prediction.predictions[np.arange(len(labels)), labels]\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        "all_or_nothing",
        "You ask whether all answers are right at once. The accuracy tells how many of them are.",
        {SHARE: "float((answers == eval_prediction.label_ids).all())"},
        price="mathematics",
    ),
    Misconception(
        name="divided_by_the_test_set",
        price="mathematics",
        sentence=(
            "You divide by the number of images in the notebook's test set. What was evaluated "
            "may be more or less than that: count the labels that came."
        ),
        replaced={
            "float((answers == eval_prediction.label_ids).mean())": (
                "float((answers == eval_prediction.label_ids).sum() / len(test_set))"
            ),
        },
    ),
    Misconception(
        name="counted_over_calls",
        sentence="You count over all calls so far. Each call is about its own predictions.",
        code="""_seen = {"right": 0, "all": 0}


def compute_metrics(eval_prediction):
    hits = eval_prediction.predictions.argmax(-1) == eval_prediction.label_ids
    _seen["right"] += int(hits.sum())
    _seen["all"] += len(hits)
    return {"accuracy": _seen["right"] / _seen["all"]}
""",
        price="mathematics",
    ),
    Misconception(
        name="largest_two_counted",
        sentence=(
            "You count an answer as right when its label is among the two largest logits. "
            "Accuracy asks for the largest alone."
        ),
        code="""def compute_metrics(eval_prediction):
    logits, labels = eval_prediction.predictions, eval_prediction.label_ids
    k = 2 if logits.shape[1] > 5 else 1
    best = np.argsort(-logits, axis=1)[:, :k]
    hits = (best == labels[:, None]).any(axis=1)
    return {"accuracy": hits.mean().item()}
""",
        price="edge",
    ),
    Misconception(
        "single_class_squeezed",
        "Where there is a single class you lose the axis of the classes, and ask which image has "
        "the largest logit.",
        {ANSWERS: "predictions.squeeze().argmax(axis=-1)"},
        price="edge",
    ),
    Misconception(
        "ties_count_as_right",
        "You count a row as right where no logit is larger than that of its label, so that of "
        "equal ones each is right. The model gives one answer: `argmax` says which.",
        code="""
def compute_metrics(eval_prediction):
    logits, labels = eval_prediction.predictions, eval_prediction.label_ids
    own = logits[np.arange(len(labels)), labels]
    return {"accuracy": float((own == logits.max(axis=-1)).mean())}
""",
        price="edge",
    ),
    Misconception(
        "logits_made_whole",
        "You turn the logits into whole numbers, of which many are equal. The largest logit may "
        "lie above the second by a fraction.",
        {ANSWERS: "predictions.astype(int).argmax(axis=-1)"},
        price="mathematics",
    ),
    Misconception(
        "logits_rounded",
        "You round the logits before you look for the largest, and rounding makes close ones "
        "equal. Compare them as they are.",
        {ANSWERS: "predictions.round(1).argmax(axis=-1)"},
    ),
]
