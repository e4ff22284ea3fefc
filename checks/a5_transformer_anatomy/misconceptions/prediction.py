"""Known wrong answers to `prediction`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="number_for_a_word",
        sentence="`PREDICTION` is a number. Write one of the five choices, in quotes.",
        code="PREDICTION = 1\n",
        price="mathematics",
    ),
    Misconception(
        name="several_choices",
        sentence=(
            "`PREDICTION` is a list or the like, not a text. Commit yourself to a single choice, "
            "and give it by itself."
        ),
        code='PREDICTION = ["one", "two or three"]\n',
        price="mathematics",
    ),
    Misconception(
        name="words_of_their_own",
        sentence=(
            "`PREDICTION` is a text, but none of the five choices. Compare it with them letter by "
            "letter."
        ),
        code='PREDICTION = "two"\n',
        price="mathematics",
    ),
    Misconception(
        name="none_of_python",
        sentence=(
            "`PREDICTION` is Python's `None`, which says that nothing was chosen. The choice of "
            "that name is a text."
        ),
        code="PREDICTION = None\n",
        price="mathematics",
    ),
]
