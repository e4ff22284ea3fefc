"""Tables that are not quite the table."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="sizes_swapped",
        price="mathematics",
        sentence=(
            "You swapped the two sizes of the table: it has a row for each dimension instead of "
            "one for each id. Check which argument comes first."
        ),
        replaced={"nn.Embedding(vocab_size, d_model)": "nn.Embedding(d_model, vocab_size)"},
    ),
    Misconception(
        name="table_frozen",
        price="learning",
        sentence=(
            "Your table takes no gradient, so it would stay random for ever. An embedding is "
            "trained like every other weight."
        ),
        replaced={
            "nn.Embedding(vocab_size, d_model)": (
                "nn.Embedding(vocab_size, d_model).requires_grad_(False)"
            )
        },
    ),
    Misconception(
        name="id_zero_is_padding",
        price="learning",
        sentence=(
            "You reserve id 0 for padding: its row is zero and never trained. The question wants a "
            "row to train for every id."
        ),
        replaced={
            "nn.Embedding(vocab_size, d_model)": "nn.Embedding(vocab_size, d_model, padding_idx=0)"
        },
    ),
    Misconception(
        name="one_row_too_many",
        price="mathematics",
        sentence=("Your table has one row more than there are ids. They count from 0 to V - 1."),
        replaced={
            "nn.Embedding(vocab_size, ": "nn.Embedding(vocab_size + 1, ",
        },
    ),
    Misconception(
        name="long_rows_shortened",
        sentence=(
            "Your table shortens rows that are longer than some length, and writes them back. A "
            "row is handed out as it is, and only training changes it."
        ),
        replaced={
            "nn.Embedding(vocab_size, d_model)": "nn.Embedding(vocab_size, d_model, max_norm=9.0)"
        },
    ),
    Misconception(
        name="starts_with_a_smaller_spread",
        sentence=(
            "You start the table with numbers whose variance is 1 / d_model. Some models do that, "
            "but here the numbers themselves have variance 1."
        ),
        replaced={
            "    return nn.Embedding(vocab_size, d_model)": (
                "    table = nn.Embedding(vocab_size, d_model)\n"
                "    nn.init.normal_(table.weight, std=d_model**-0.5)\n"
                "    return table"
            )
        },
    ),
    Misconception(
        name="vectors_scaled",
        sentence=(
            "You multiply the vectors by the square root of d_model, as the Transformer of 2017 "
            "does. A look-up hands the row out as it is."
        ),
        code="""
class Scaled(nn.Embedding):
    def forward(self, ids):
        return super().forward(ids) * math.sqrt(self.embedding_dim)


def make_embedding(vocab_size, d_model):
    return Scaled(vocab_size, d_model)
""",
        price="mathematics",
    ),
    Misconception(
        name="starts_as_bert_does",
        sentence=(
            "You start the table with numbers as small as BERT's training does. Here the numbers "
            "themselves have variance 1."
        ),
        replaced={
            "    return nn.Embedding(vocab_size, d_model)": (
                "    table = nn.Embedding(vocab_size, d_model)\n"
                "    nn.init.normal_(table.weight, std=0.02)\n"
                "    return table"
            )
        },
    ),
    Misconception(
        name="rows_of_length_one_at_most",
        sentence=(
            "Your table lets no row be longer than 1, and shortens it where it lies when it is "
            "looked up. A row is handed out as it is, and only training changes it."
        ),
        replaced={
            "nn.Embedding(vocab_size, d_model)": "nn.Embedding(vocab_size, d_model, max_norm=1.0)"
        },
    ),
    Misconception(
        name="norm_behind_the_table",
        sentence=(
            "You normalise the vectors after they are looked up, as BERT does once it has added "
            "others to them. Here the table stands alone."
        ),
        replaced={
            "nn.Embedding(vocab_size, d_model)": (
                "nn.Sequential(\n"
                "        nn.Embedding(vocab_size, d_model),\n"
                "        nn.LayerNorm(d_model, elementwise_affine=False),\n"
                "    )"
            )
        },
    ),
    Misconception(
        name="gradient_divided_by_frequency",
        price="learning",
        sentence=(
            "You let the gradient of a row be divided by how often its token comes. A token that "
            "comes twice pulls at its row twice, as with every other weight."
        ),
        replaced={
            "nn.Embedding(vocab_size, d_model)": (
                "nn.Embedding(vocab_size, d_model, scale_grad_by_freq=True)"
            ),
        },
    ),
    Misconception(
        name="two_axes_taken_for_granted",
        price="edge",
        sentence=(
            "Your look-up takes it that ids come with two axes, those of sentences and "
            "positions. Ids may have any shape, and each of them becomes a vector."
        ),
        code="""class Table(nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(vocab_size, d_model))

    def forward(self, ids):
        N, L = ids.shape
        return self.weight[ids.reshape(-1)].reshape(N, L, -1)


def make_embedding(vocab_size, d_model):
    return Table(vocab_size, d_model)
""",
    ),
    Misconception(
        name="rows_kept_short",
        sentence=(
            "You limit the length of the rows, which changes the table whenever it is used. It is"
            " changed by training alone."
        ),
        code='''def make_embedding(vocab_size, d_model):
    """A table of vocab_size vectors: ids (N, L) -> vectors (N, L, d_model)."""
    return nn.Embedding(vocab_size, d_model, max_norm=1.5 * math.sqrt(d_model))
''',
    ),
]
