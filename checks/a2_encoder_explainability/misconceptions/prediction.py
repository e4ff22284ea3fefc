"""Known wrong answers to `prediction`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="number_for_a_name",
        sentence="`PREDICTION` is a number. Write the name of the explanation, in quotes.",
        code="PREDICTION = 0\n",
        price="mathematics",
    ),
    Misconception(
        name="several_names",
        sentence="`PREDICTION` is more than one name. Commit yourself to a single one.",
        code='PREDICTION = ["rollout", "gradient"]\n',
        price="mathematics",
    ),
    Misconception(
        name="another_spelling",
        sentence=(
            "`PREDICTION` is a text, but none of the five names. Compare it with them letter by "
            "letter, capitals and spaces too."
        ),
        code='PREDICTION = "first layer"\n',
        price="mathematics",
    ),
]
