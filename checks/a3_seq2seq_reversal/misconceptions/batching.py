"""Wrong answers to question 1 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="bos_is_a_real_token",
        sentence=(
            "Your BOS has the id of a real token, so the model cannot tell “nothing written "
            "yet” from having just written that token. Look at where the ids of real tokens "
            "begin."
        ),
        replaced={
            "BOS_ID, EOS_ID = 1, 2": "BOS_ID, EOS_ID = 3, 2",
        },
        price="edge",
    ),
    Misconception(
        name="eos_is_padding",
        sentence=(
            "Your EOS is the padding, which the loss skips, so the model would never learn "
            "to stop. Give each of the three special tokens an id of its own."
        ),
        replaced={
            "BOS_ID, EOS_ID = 1, 2": "BOS_ID, EOS_ID = 1, 0",
        },
        price="edge",
    ),
    Misconception(
        name="pads_in_front",
        sentence=(
            "You put the padding in front of short sequences, which moves their tokens to "
            "other positions. Look at the first example and where its zeros stand."
        ),
        replaced={
            "row + [pad_id] * (longest - len(row))": "[pad_id] * (longest - len(row)) + row",
        },
        price="edge",
    ),
    Misconception(
        name="pads_with_zero_always",
        sentence=(
            "You fill up with 0 whatever padding id is asked for. Look at the second "
            "argument of your function."
        ),
        replaced={
            "[pad_id] *": "[0] *",
        },
        price="edge",
    ),
    Misconception(
        name="shift_rolls_around",
        sentence=(
            "You roll the targets round, so that the last token of each row comes first, "
            "where BOS should stand. The decoder would begin with a token of the answer."
        ),
        replaced={
            "begin = torch.full_like(targets[:, :1], bos_id)": "begin = targets[:, -1:]",
        },
        price="mathematics",
    ),
    Misconception(
        name="shift_to_the_left",
        sentence=(
            "You shift to the left, so each position of the decoder is shown a token that "
            "comes after the one it should say. Compare the columns of decoder input and "
            "target in the table above."
        ),
        replaced={
            "torch.cat([begin, targets[:, :-1]], dim=1)": (
                "torch.cat([targets[:, 1:], begin], dim=1)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="bos_replaces_the_first_token",
        sentence=(
            "You write BOS over the first token instead of in front of it, so nothing is "
            "shifted and each position is shown its own answer. Every token but the last "
            "should move one place."
        ),
        replaced={
            "targets[:, :-1]": "targets[:, 1:]",
        },
        price="mathematics",
    ),
    Misconception(
        name="shift_drops_nothing",
        sentence=(
            "You put BOS in front and keep the last token as well, so the decoder input is "
            "longer than the targets. The last token never needs to be read."
        ),
        replaced={
            "targets[:, :-1]": "targets",
        },
        price="mathematics",
    ),
    Misconception(
        name="ids_in_bytes",
        sentence=(
            "Your ids pass through bytes, where one beyond 255 becomes another. A vocabulary is "
            "larger than that."
        ),
        replaced={"for row in sequences])": "for row in sequences]).to(torch.uint8).long()"},
    ),
    Misconception(
        name="eos_not_shown",
        sentence=(
            "You take EOS out of what the decoder sees. Nothing but the last column is left out: "
            "what stands behind EOS is padding, and the loss skips it."
        ),
        replaced={
            "return torch.cat([begin, targets[:, :-1]], dim=1)": (
                "shifted = torch.cat([begin, targets[:, :-1]], dim=1)\n"
                "    return shifted.masked_fill(shifted == EOS_ID, PAD_ID)"
            ),
        },
    ),
    Misconception(
        name="zeros_taken_for_missing",
        sentence=(
            "You write the padding id also where a list holds a 0. What stands in a list stays; "
            "filled up is what it has too few."
        ),
        replaced={
            "[row + [pad_id] *": "[[token or pad_id for token in row] + [pad_id] *",
        },
        price="edge",
    ),
    Misconception(
        name="padded_to_the_notebooks_longest",
        sentence=(
            "You pad every batch to the length of the longest sequence in the notebook. A batch "
            "is as long as the longest of its own lists."
        ),
        replaced={
            "for sequence in sequences)\n": (
                "for sequence in sequences)\n    longest = max(longest, LONGEST + 1)\n"
            ),
        },
    ),
    Misconception(
        name="cut_to_the_notebooks_longest",
        sentence=(
            "You cut lists that are longer than the longest sequence of the notebook. The batch is "
            "as long as the longest of its own lists, and no token gets lost."
        ),
        replaced={
            "for sequence in sequences)\n": (
                "for sequence in sequences)\n"
                "    longest = min(longest, LONGEST)\n"
                "    sequences = [row[:longest] for row in sequences]\n"
            ),
        },
    ),
    Misconception(
        name="rows_sorted_by_length",
        sentence=(
            "You sort the lists by their lengths, so that the rows come in another order than "
            "their sources or targets. Keep the order in which the lists are given."
        ),
        replaced={
            "for sequence in sequences)\n": (
                "for sequence in sequences)\n"
                "    sequences = sorted(sequences, key=len, reverse=True)\n"
            ),
        },
    ),
    Misconception(
        name="padding_where_the_target_has_it",
        sentence=(
            "You write padding into the decoder input wherever the target has some, and hide EOS, "
            "which is read one place later. All columns but the last move as they are."
        ),
        replaced={
            "return torch.cat([begin, targets[:, :-1]], dim=1)": (
                "shifted = torch.cat([begin, targets[:, :-1]], dim=1)\n"
                "    return shifted.masked_fill(targets == PAD_ID, PAD_ID)"
            ),
        },
    ),
    Misconception(
        name="first_list_sets_the_length",
        sentence=(
            "You make the batch as long as its first list, so that longer ones lose their ends. "
            "It is as long as the longest list, wherever that stands."
        ),
        replaced={
            "max(len(sequence) for sequence in sequences)": "len(sequences[0])",
            "for row in sequences]": "for row in (one[:longest] for one in sequences)]",
        },
        price="edge",
    ),
    Misconception(
        name="padding_taken_out_of_the_lists",
        sentence=(
            "You take the tokens that have the padding's id out of the lists, so that the others "
            "move to their places. What stands in a list stays where it is."
        ),
        replaced={
            "    return torch.tensor([row": (
                "    sequences = [[i for i in row if i != pad_id] for row in sequences]\n"
                "    return torch.tensor([row"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="rows_cut_at_fifty",
        sentence="You cut rows at a length that nobody gave. A row may be as long as it likes.",
        code="""def pad_sequences(sequences, pad_id=0):
    longest = min(50, max(len(row) for row in sequences))
    rows = [list(row)[:longest] + [pad_id] * (longest - len(row)) for row in sequences]
    return torch.tensor(rows, dtype=torch.int64)


def shift_right(targets, bos_id):
    first = torch.full_like(targets[:, :1], bos_id)
    return torch.cat([first, targets[:, :-1]], dim=1)


PAD_ID = 0
BOS_ID, EOS_ID = 1, 2
""",
        price="edge",
    ),
    Misconception(
        name="empty_rows_left_out",
        sentence=(
            "You leave out rows that are empty. They are rows of padding, and the batch has one "
            "for each sequence."
        ),
        code="""def pad_sequences(sequences, pad_id=0):
    longest = max(len(row) for row in sequences)
    rows = [
        list(row) + [pad_id] * (longest - len(row))
        for i, row in enumerate(sequences)
        if len(row) or i == 0
    ]
    return torch.tensor(rows, dtype=torch.int64)


def shift_right(targets, bos_id):
    first = torch.full_like(targets[:, :1], bos_id)
    return torch.cat([first, targets[:, :-1]], dim=1)


PAD_ID = 0
BOS_ID, EOS_ID = 1, 2
""",
        price="edge",
    ),
    Misconception(
        name="one_row_for_equal_lists",
        sentence=(
            "Of lists that are equal you fill the first one's row alone: the place of a list is "
            "not found by what it holds. Count them as you go."
        ),
        replaced={
            "return torch.tensor([row + [pad_id] * (longest - len(row)) for row in sequences])": (
                "table = torch.full((len(sequences), longest), pad_id)\n"
                "    for row in sequences:\n"
                "        table[sequences.index(row), : len(row)] = torch.tensor(row).long()\n"
                "    return table"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="bos_of_the_notebook",
        sentence=(
            "You begin with the notebook's BOS_ID. Which id stands in front says the argument "
            "`bos_id`."
        ),
        replaced={"torch.full_like(targets[:, :1], bos_id)": "torch.ones_like(targets[:, :1])"},
        price="edge",
    ),
]
