"""Wrong answers to question 12 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="words_of_their_own",
        sentence=(
            "You predict in words of your own. Each value of `PREDICTION` should be one of the "
            "three choices, letter by letter."
        ),
        replaced={'mask": "cheats"': 'mask": "learns to cheat"'},
        price="mathematics",
    ),
    Misconception(
        name="part_left_out",
        sentence=(
            "You do not predict what happens without residuals. `PREDICTION` has a key for "
            "each of the three parts."
        ),
        replaced={', "residuals": "stuck"': ""},
        price="mathematics",
    ),
]
