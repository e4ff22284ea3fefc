"""Known wrong answers to `predict`."""

from __future__ import annotations

from autograder.checking import Misconception

ANSWER = "logits.argmax(dim=-1)"

MISCONCEPTIONS = [
    Misconception(
        "argmax_over_the_batch",
        "You ask which image has the largest logit of each class. Ask which class has the largest "
        "logit of each image: look at the axes.",
        {ANSWER: "logits.argmax(dim=0)"},
        price="mathematics",
    ),
    Misconception(
        "argmax_of_everything",
        "You look for the largest number of the whole table and return its one place. Say along "
        "which axis to look.",
        {ANSWER: "logits.argmax()"},
        price="mathematics",
    ),
    Misconception(
        "largest_logit_itself",
        "You return the largest logits. The answer is where they stand.",
        {ANSWER: "logits.amax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "probabilities",
        "You return the probabilities of all classes. Which of them is the largest?",
        {ANSWER: "logits.softmax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "axis_kept",
        "You keep an axis of length one behind the answers. One number for each image is enough.",
        {ANSWER: "logits.argmax(dim=-1, keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        "least_likely_class",
        "You pick the class that the model believes in least. Large logits mean likely classes.",
        {ANSWER: "logits.argmin(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "classes_from_one",
        "You count the classes from one. They count from zero, as the labels do.",
        {ANSWER: f"{ANSWER} + 1"},
        price="mathematics",
    ),
    Misconception(
        "list_of_numbers",
        "You return a list of Python numbers. The specification asks for a tensor.",
        {ANSWER: f"{ANSWER}.tolist()"},
        price="mathematics",
    ),
    Misconception(
        "sign_ignored",
        "You look for the largest logit without its sign, so a class that is out of the question "
        "may win.",
        {ANSWER: "logits.abs().argmax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "exponentials_of_large_logits",
        "You compare something else than the logits: exponentials, which are infinite for large "
        "ones, or numbers of fewer digits. The largest logit is where the largest probability "
        "is, so none are needed.",
        {ANSWER: "(logits.exp() / logits.exp().sum(dim=-1, keepdim=True)).argmax(dim=-1)"},
        price="edge",
    ),
    Misconception(
        "largest_logit_cut",
        "You turn the largest logit into a whole number. Not the number is the answer, but the "
        "place where it stands.",
        {ANSWER: "logits.amax(dim=-1).long()"},
        price="mathematics",
    ),
    Misconception(
        "logits_cut",
        "You turn the logits into whole numbers before you compare them, which makes close ones "
        "equal. Only the answer is a whole number.",
        {ANSWER: "logits.long().argmax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "more_than_one_half",
        "You look for a class that has more than half of the probability. Where there are several "
        "classes the largest may have less, and it is the answer all the same.",
        {ANSWER: "(logits.softmax(dim=-1) > 0.5).long().argmax(dim=-1)"},
    ),
    Misconception(
        "logits_in_half_precision",
        "You turn the logits into half precision, in which large ones are all infinite and close "
        "ones are equal.",
        {ANSWER: "logits.half().float().softmax(dim=-1).argmax(dim=-1)"},
    ),
    Misconception(
        "one_class_for_all",
        "You find the largest number of the whole table, and give its class to all images. Each "
        "image has a row of its own, and the largest in it.",
        {ANSWER: ("(logits.argmax() % logits.shape[-1]).expand(len(logits)).clone()")},
        price="mathematics",
    ),
    Misconception(
        "two_classes_only",
        "You choose between the first two classes. There may be more of them: any can have the "
        "largest logit.",
        {ANSWER: "(logits[:, 1] > logits[:, 0]).long()"},
        price="mathematics",
    ),
    Misconception(
        "largest_probability",
        "You return how probable the best class of each image is. The answer is which class that "
        "is: the place of the largest number.",
        {ANSWER: "logits.softmax(dim=-1).amax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "softmax_over_the_batch",
        "Your probabilities sum to one over the images of a class, so the answer for an image "
        "depends on the others. Each row is answered for itself.",
        {ANSWER: "logits.softmax(dim=0).argmax(dim=-1)"},
    ),
    Misconception(
        "classes_of_the_notebook",
        "You look only at as many classes as this notebook has. How many there are is told by the "
        "logits.",
        {ANSWER: "logits[:, : len(LABELS)].argmax(dim=-1)"},
    ),
    Misconception(
        name="negative_logits_cut",
        price="mathematics",
        sentence=(
            "You set negative logits to zero, or look for the largest from zero on, and an image "
            "whose logits are all negative gets the first class. Logits have any sign: only "
            "which of them is the largest counts."
        ),
        replaced={
            "logits.argmax": "F.relu(logits).argmax",
        },
    ),
    Misconception(
        name="names_of_the_classes",
        price="mathematics",
        sentence=(
            "You return the names of the classes in a list. Their numbers are asked for, in a "
            "tensor."
        ),
        replaced={
            "return logits.argmax(dim=-1)": (
                "return [LABELS[int(number)] for number in logits.argmax(dim=-1)]"
            ),
        },
    ),
    Misconception(
        "every_largest_place",
        "You give every class whose logit is as large as the largest, so that a row in which two "
        "are equal has two answers. Each image gets one.",
        {ANSWER: "(logits == logits.amax(dim=-1, keepdim=True)).nonzero()[:, 1]"},
        price="edge",
    ),
]
