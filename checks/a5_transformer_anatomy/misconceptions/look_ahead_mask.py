"""Triangles of the wrong side, size or kind."""

from autograder.checking import Misconception

MASK = "torch.ones(1, 1, size, size, dtype=torch.bool).tril()"

MISCONCEPTIONS = [
    Misconception(
        name="mask_inverted",
        price="mathematics",
        sentence=(
            "Your mask is true for the future: that is the convention in which True means *hide*. "
            "In this course it means *may attend*."
        ),
        replaced={MASK: "torch.ones(1, 1, size, size, dtype=torch.bool).triu(1)"},
    ),
    Misconception(
        name="mask_transposed",
        price="mathematics",
        sentence=(
            "You kept the upper triangle, so each position sees itself and the future. Rows are "
            "queries: row 0 may look at one key only."
        ),
        replaced={MASK: "torch.ones(1, 1, size, size, dtype=torch.bool).triu()"},
    ),
    Misconception(
        name="itself_hidden",
        price="mathematics",
        sentence=(
            "In your mask no position sees itself, and the first one sees nothing at all, which "
            "leaves its softmax without a key. Keep the diagonal."
        ),
        replaced={MASK: "torch.ones(1, 1, size, size, dtype=torch.bool).tril(-1)"},
    ),
    Misconception(
        name="next_one_seen",
        price="mathematics",
        sentence=(
            "In your mask each position sees the one after it, which in training is just the "
            "answer. Move the border by one."
        ),
        replaced={MASK: "torch.ones(1, 1, size, size, dtype=torch.bool).tril(1)"},
    ),
    Misconception(
        name="numbers_instead_of_truth_values",
        price="edge",
        sentence=(
            "Your mask holds numbers. A boolean tensor was asked for, so that it can be turned "
            "around and combined with others."
        ),
        replaced={", dtype=torch.bool": ""},
    ),
    Misconception(
        name="added_to_the_scores",
        price="mathematics",
        sentence=(
            "Your mask is one to be added to scores, with minus infinity in the future. The one of "
            "this course is boolean and says who may be looked at."
        ),
        replaced={MASK: "torch.full((1, 1, size, size), -math.inf).triu(1)"},
    ),
    Misconception(
        name="no_leading_axes",
        price="mathematics",
        sentence=(
            "Your mask has the two axes of queries and keys alone. The question wants two more in "
            "front, of size one, for sentences and heads."
        ),
        replaced={"torch.ones(1, 1, size, size,": "torch.ones(size, size,"},
    ),
    Misconception(
        name="positions_rounded",
        sentence=(
            "You count the positions in numbers of few digits, in which neighbours far from the "
            "beginning are alike. Count in whole numbers."
        ),
        price="edge",
        replaced={
            f"return {MASK}": (
                "place = torch.arange(size).half()\n"
                "    return (place <= place[:, None])[None, None]"
            ),
        },
    ),
    Misconception(
        name="window_of_the_past",
        sentence=(
            "In your mask a position sees the few before it alone, and loses sight of the "
            "beginning. Only the future is hidden: all of the past may be seen."
        ),
        replaced={f"return {MASK}": f"return {MASK} & {MASK.replace('tril()', 'triu(-3)')}"},
    ),
    Misconception(
        name="itself_hidden_but_for_the_first",
        price="mathematics",
        sentence=(
            "In your mask only the first position sees itself. Where its row was empty, the "
            "diagonal was missing, and it is missing in all the others."
        ),
        replaced={
            f"return {MASK}": (
                f"mask = {MASK.replace('tril()', 'tril(-1)')}\n"
                "    mask[..., 0, 0] = True\n"
                "    return mask"
            ),
        },
    ),
    Misconception(
        name="mask_from_a_fixed_table",
        sentence=(
            "You cut the mask out of a table of fixed size. Sequences may be longer than that."
        ),
        code="""_PAST = torch.ones(1, 1, 128, 128, dtype=torch.bool).tril()


def create_look_ahead_mask(size):
    return _PAST[..., :size, :size].clone()
""",
        price="edge",
    ),
]
