"""Wrong answers to question 3 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="mask_transposed",
        sentence=(
            "Your causal mask shows the future and hides the past: it is transposed. Rows "
            "are queries and columns are keys."
        ),
        replaced={
            ".tril()": ".triu()",
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_looks_one_ahead",
        sentence=(
            "Your causal mask lets each position see the one after it, which is just what "
            "it should predict. The diagonal is the last that may be seen."
        ),
        replaced={
            ".tril()": ".tril(1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_hides_the_diagonal",
        sentence=(
            "Your causal mask hides each position from itself, and the first one sees "
            "nothing at all. A position may attend to itself."
        ),
        replaced={
            ".tril()": ".tril(-1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="convention_inverted",
        sentence=(
            "Your masks are true where something should be hidden; in this course True "
            "means “may attend”. Other libraries use the opposite, so look at the "
            "convention at the top of the notebook."
        ),
        replaced={
            "torch.ones(length, length, dtype=torch.bool).tril()": (
                "torch.ones(length, length, dtype=torch.bool).triu(1)"
            ),
            "ids != pad_id": "ids == pad_id",
        },
        price="mathematics",
    ),
    Misconception(
        name="padding_inverted",
        sentence=(
            "Your padding mask is true at the padding, and so hides all real tokens "
            "instead. True means “may attend”."
        ),
        replaced={
            "ids != pad_id": "ids == pad_id",
        },
        price="mathematics",
    ),
    Misconception(
        name="padding_hides_queries",
        sentence=(
            "Your padding mask hides rows, that is queries, where it should hide keys. Look "
            "at which of its four axes counts the tokens."
        ),
        replaced={
            "[:, None, None, :]": "[:, None, :, None]",
        },
        price="mathematics",
    ),
    Misconception(
        name="padding_is_always_zero",
        sentence=(
            "You compare the ids with 0 whatever padding id is asked for. Look at the "
            "second argument."
        ),
        replaced={
            "ids != pad_id": "ids != 0",
        },
        price="edge",
    ),
    Misconception(
        name="masks_of_numbers",
        sentence=(
            "Your causal mask holds numbers where it should hold truth values, so it cannot "
            "be combined with the other one. Look at its dtype."
        ),
        replaced={
            "torch.ones(length, length, dtype=torch.bool)": "torch.ones(length, length)",
        },
        price="mathematics",
    ),
    Misconception(
        name="ids_above_padding",
        sentence=(
            "You call a token real when its id is larger than that of padding, so that smaller "
            "ids count as padding. The question asks whether it is the padding id."
        ),
        replaced={
            "ids != pad_id": "ids > pad_id",
        },
        price="edge",
    ),
    Misconception(
        name="first_token_of_an_empty_row_shown",
        sentence=(
            "Where a row is nothing but padding, you let its first token be seen. The mask says "
            "what is padding; the attention of the next question copes with a query that sees "
            "nothing."
        ),
        replaced={
            "return (ids != pad_id)[:, None, None, :]": (
                "real = ids != pad_id\n"
                "    real[:, 0] |= ~real.any(dim=1)\n"
                "    return real[:, None, None, :]"
            )
        },
        price="edge",
    ),
    Misconception(
        name="empty_rows_shown",
        sentence=(
            "Where a row is nothing but padding, you let all of it be seen. The mask says what is "
            "padding; the attention of the next question copes with a query that sees nothing."
        ),
        replaced={
            "return (ids != pad_id)[:, None, None, :]": (
                "real = ids != pad_id\n"
                "    real = real | ~real.any(dim=1, keepdim=True)\n"
                "    return real[:, None, None, :]"
            )
        },
        price="edge",
    ),
    Misconception(
        name="first_padding_ends_it",
        sentence=(
            "You take everything behind the first padding for padding. Each id is compared by "
            "itself, wherever it stands."
        ),
        replaced={
            "(ids != pad_id)[": "(ids != pad_id).long().cumprod(dim=1).bool()[",
        },
    ),
    Misconception(
        name="real_tokens_counted",
        sentence=(
            "You open a row from its beginning on, up to as many places as there are real "
            "tokens, or up to the last of them. Padding may come first, or stand in between: "
            "look at each place by itself."
        ),
        replaced={
            "return (ids != pad_id)[:, None, None, :]": (
                "lengths = (ids != pad_id).sum(dim=1)\n"
                "    places = torch.arange(ids.shape[1], device=ids.device)\n"
                "    return (places < lengths[:, None])[:, None, None, :]"
            ),
        },
    ),
    Misconception(
        name="padding_hides_queries_too",
        sentence=(
            "Your padding mask hides the rows of padding as well as its columns. Only keys are "
            "hidden: what a padding token looks at is of no account, and its row stays as it is."
        ),
        replaced={
            "return (ids != pad_id)[:, None, None, :]": (
                "real = ids != pad_id\n    return real[:, None, :, None] & real[:, None, None, :]"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="end_hidden_too",
        sentence=(
            "You hide EOS along with the padding. To the mask it is a token like any other, and "
            "only padding is hidden."
        ),
        replaced={
            "(ids != pad_id)[": "((ids != pad_id) & (ids != EOS_ID))[",
        },
        price="edge",
    ),
    Misconception(
        name="padding_of_the_whole_batch",
        sentence=(
            "You hide a place only where all sequences of the batch have padding, and show it to "
            "all where one of them has a token. Each sequence has padding of its own."
        ),
        replaced={
            "return (ids != pad_id)[": (
                "real = (ids != pad_id).any(dim=0, keepdim=True).expand_as(ids)\n    return real["
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="zero_hidden_too",
        sentence=(
            "You hide the id 0 whatever the padding id is. Where another id is that of padding, 0 "
            "is a token like any other."
        ),
        replaced={
            "(ids != pad_id)[": "((ids != pad_id) & (ids != 0))[",
        },
        price="edge",
    ),
    Misconception(
        name="mask_hides_the_diagonal_but_from_the_first",
        sentence=(
            "Your causal mask hides each position from itself, the first one alone excepted. A "
            "position may attend to itself, wherever it stands."
        ),
        replaced={
            "    return torch.ones(length, length, dtype=torch.bool).tril()\n": (
                "    mask = torch.ones(length, length, dtype=torch.bool).tril(-1)\n"
                "    mask[0, 0] = True\n"
                "    return mask\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="special_tokens_hidden",
        sentence=(
            "You hide BOS and EOS along with the padding, as all ids below those of the real "
            "tokens. To the mask they are tokens like any other, and only padding is hidden."
        ),
        replaced={
            "(ids != pad_id)": "(ids >= FIRST_ID)",
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_from_a_fixed_table",
        sentence=(
            "You cut the mask out of a table of fixed size. Sequences may be longer than that."
        ),
        code="""def causal_mask(length):
    return torch.ones(50, 50, dtype=torch.bool).tril()[:length, :length]


def padding_mask(ids, pad_id=0):
    return (ids != pad_id)[:, None, None, :]
""",
        price="edge",
    ),
]
