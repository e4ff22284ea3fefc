"""What students get wrong in a dataset."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="counts_the_columns",
        price="mathematics",
        sentence=(
            "Your dataset's length is the number of columns, not the number of headlines: `len` of "
            "a dict counts its names."
        ),
        replaced={'len(self.columns["labels"])': "len(self.columns)"},
    ),
    Misconception(
        name="pair_of_ids_and_label",
        price="mathematics",
        sentence=(
            "Your items are pairs of ids and label, so the attention mask is lost on the way. An "
            "item is a dict with the names of all columns."
        ),
        replaced={
            "{name: column[index] for name, column in self.columns.items()}": (
                '(self.columns["input_ids"][index], self.columns["labels"][index])'
            )
        },
    ),
    Misconception(
        name="three_columns_only",
        price="mathematics",
        sentence=(
            "Your items drop columns, such as every one but the three that you know. Hand on "
            "whatever the dict of columns holds."
        ),
        replaced={
            "in self.columns.items()}": (
                "in self.columns.items()\n"
                '            if name in ("input_ids", "attention_mask", "labels")}'
            )
        },
    ),
    Misconception(
        name="item_is_the_whole_column",
        price="mathematics",
        sentence=(
            "Your item holds the whole columns instead of its own row. One argument of "
            "`__getitem__` is not used."
        ),
        replaced={"name: column[index] for": "name: column for"},
    ),
    Misconception(
        name="keeps_an_axis_of_one",
        sentence=(
            "Your items keep an axis of size 1 in front, so that a loader makes batches with "
            "one axis too many. An index takes an axis away, a slice does not."
        ),
        replaced={
            "column[index]": "column[index : index + 1]",
        },
        price="mathematics",
    ),
    Misconception(
        name="tuples_for_dicts",
        sentence=(
            "Your items are tuples, so that nobody knows which column is which. The question "
            "asks for a dict with the names of the columns."
        ),
        replaced={
            "{name: column[index] for name, column in self.columns.items()}": (
                "tuple(column[index] for column in self.columns.values())"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="needs_input_ids",
        sentence=(
            "Your dataset asks for the column `input_ids`, which need not be there. Only "
            "`labels` always is."
        ),
        replaced={
            'len(self.columns["labels"])': 'len(self.columns["input_ids"])',
        },
        price="mathematics",
    ),
    Misconception(
        name="one_dict_for_all_datasets",
        sentence=(
            "You gather the columns in a dict that belongs to the class, so that all datasets "
            "share it and a new one changes what the others hold. What a dataset holds belongs "
            "to itself."
        ),
        replaced={
            "    def __init__(self, columns):\n": (
                "    columns = {}\n\n    def __init__(self, columns):\n"
            ),
            "        self.columns = columns\n": "        self.columns.update(columns)\n",
        },
        price="mathematics",
    ),
    Misconception(
        name="columns_kept_at_the_class",
        sentence=(
            "You keep the columns at the class, so that every dataset shows those of the one that "
            "was made last. Keep them at the object."
        ),
        replaced={
            "        self.columns = columns\n": "        HeadlineDataset.columns = columns\n",
        },
        price="surroundings",
    ),
    Misconception(
        name="numbers_of_python",
        sentence=(
            "You turn single numbers into Python's, of which a loader makes other kinds of numbers "
            "than the column has."
        ),
        replaced={
            "return {name: column[index] for name, column in self.columns.items()}": (
                "row = {name: column[index] for name, column in self.columns.items()}\n"
                "        return {n: one if one.dim() else one.item() for n, one in row.items()}"
            )
        },
    ),
    Misconception(
        name="everything_made_whole",
        price="mathematics",
        sentence=(
            "You turn every column into whole numbers, so that of a column of fractions or of "
            "truth values something else is left. What kind of numbers a column has is not the "
            "business of the dataset."
        ),
        replaced={
            "self.columns = columns": (
                "self.columns = {name: column.long() for name, column in columns.items()}"
            )
        },
    ),
    Misconception(
        name="everything_made_float",
        price="mathematics",
        sentence=(
            "You turn every column into floating-point numbers, and ids and labels are none: no "
            "embedding takes them so. Hand each column on in its own kind."
        ),
        replaced={
            "self.columns = columns": (
                "self.columns = {name: column.float() for name, column in columns.items()}"
            )
        },
    ),
    Misconception(
        name="one_dict_for_all_items",
        sentence=(
            "You fill one and the same dict at each access, so that an item changes when the next "
            "one is taken. Each access makes a dict of its own."
        ),
        replaced={
            "self.columns = columns": "self.columns, self.item = columns, {}",
            "        return {name: column[index] for name, column in self.columns.items()}": (
                "        for name, column in self.columns.items():\n"
                "            self.item[name] = column[index]\n"
                "        return self.item"
            ),
        },
    ),
    Misconception(
        name="padding_cut_off",
        price="mathematics",
        sentence=(
            "You cut the padding off each item, so that items differ in length and no loader can "
            "stack them. An item holds its row as it is."
        ),
        replaced={
            "return {name: column[index] for name, column in self.columns.items()}": (
                "row = {name: column[index] for name, column in self.columns.items()}\n"
                '        if "attention_mask" not in row:\n'
                "            return row\n"
                '        count = int(row["attention_mask"].sum())\n'
                "        return {n: one[:count] if one.dim() else one for n, one in row.items()}"
            )
        },
    ),
    Misconception(
        name="label_for_labels",
        price="mathematics",
        sentence=(
            "Your items call the class by another name than its column has. An item has the same "
            "names as the columns: whoever reads it asks for these."
        ),
        replaced={
            "{name: column[index] for name": (
                '{"label" if name == "labels" else name: column[index] for name'
            )
        },
    ),
    Misconception(
        name="tensors_made_anew",
        sentence=(
            "Your rows do not stay on the device of their column. A row of a column is a tensor "
            "already, on that device."
        ),
        replaced={"name: column[index] for": "name: torch.tensor(column[index].tolist()) for"},
    ),
    Misconception(
        name="axes_of_length_one_lost",
        sentence=(
            "You squeeze what you hand out. An axis of length 1 is part of the row, and stays."
        ),
        code="""class HeadlineDataset(Dataset):
    def __init__(self, columns):
        super().__init__()
        self.data = dict(columns)

    def __len__(self):
        return self.data["labels"].size(0)

    def __getitem__(self, index):
        return {name: column[index].squeeze() for name, column in self.data.items()}
""",
        price="edge",
    ),
    Misconception(
        name="mask_as_booleans",
        sentence="You hand out the mask in another dtype. Each column comes as it is.",
        code="""class HeadlineDataset(Dataset):
    def __init__(self, columns):
        self.columns = {
            name: column.bool() if name == "attention_mask" else column
            for name, column in columns.items()
        }

    def __len__(self):
        return len(self.columns["labels"])

    def __getitem__(self, index):
        return {name: column[index] for name, column in self.columns.items()}
""",
        price="mathematics",
    ),
    Misconception(
        name="floats_made_single",
        sentence="You turn all floats into float32. A column keeps its dtype.",
        code="""class HeadlineDataset(Dataset):
    def __init__(self, columns):
        self.columns = {
            name: column.float() if column.is_floating_point() else column.long()
            for name, column in columns.items()
        }

    def __len__(self):
        return len(self.columns["labels"])

    def __getitem__(self, index):
        return {name: column[index] for name, column in self.columns.items()}
""",
        price="mathematics",
    ),
    Misconception(
        name="labels_counted",
        price="edge",
        sentence=(
            "You count all numbers of the labels. How many headlines there are says their first "
            "dimension, and columns may have more of them."
        ),
        replaced={'len(self.columns["labels"])': 'self.columns["labels"].numel()'},
    ),
    Misconception(
        name="entries_flattened",
        price="mathematics",
        sentence=(
            "You flatten the entries of columns, so that those of more dimensions lose their "
            "shape. An item holds entry $i$ as it stands in the column."
        ),
        replaced={
            "return {name: column[index] for name, column in self.columns.items()}": (
                "row = {name: column[index] for name, column in self.columns.items()}\n"
                "        return {name: part.flatten() if part.dim() else part\n"
                "                for name, part in row.items()}"
            ),
        },
    ),
]
