"""Known wrong answers to `prediction`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        "number_for_words",
        "`PREDICTION` is a number. Write one of the three choices, in quotes.",
        code="PREDICTION = 0.5\n",
        price="mathematics",
    ),
    Misconception(
        "several_choices",
        "`PREDICTION` is a list or the like, not a text. Commit yourself to a single choice, and "
        "give it by itself.",
        code='PREDICTION = ["hardly any", "about half as many"]\n',
        price="mathematics",
    ),
    Misconception(
        "words_of_their_own",
        "`PREDICTION` is a text, but none of the three choices. Compare it with them letter by "
        "letter, capitals too.",
        code='PREDICTION = "Half as many"\n',
        price="mathematics",
    ),
]
