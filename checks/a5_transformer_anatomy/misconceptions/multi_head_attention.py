"""Heads that are mixed up, lost, or dropped in the wrong place."""

from autograder.checking import Misconception

SPLIT = "layer(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)"
JOINED = "heads.transpose(1, 2).flatten(2)"
DROPPED = "heads = self.dropout(weights) @ v"

MISCONCEPTIONS = [
    Misconception(
        name="split_without_transpose",
        price="mathematics",
        sentence=(
            "You regroup the numbers straight into heads and positions, which gives a head numbers "
            "of several positions. Cut the last axis first, then exchange two axes."
        ),
        replaced={
            SPLIT: "layer(x).reshape(len(x), self.n_heads, x.shape[1], -1)",
        },
    ),
    Misconception(
        name="joined_without_transpose",
        price="mathematics",
        sentence=(
            "You put the heads together without moving their axis back, so numbers of different "
            "positions end up in one vector. Undo the two steps of the split in reverse order."
        ),
        replaced={JOINED: "heads.reshape(query.shape)"},
    ),
    Misconception(
        name="one_head_only",
        price="mathematics",
        sentence=(
            "You attend with the whole vectors, as if there were one head. Cut them into n_heads "
            "slices first."
        ),
        replaced={"self.n_heads = n_heads": "self.n_heads = 1"},
    ),
    Misconception(
        name="no_output_layer",
        price="mathematics",
        sentence=(
            "You return the heads side by side, without the last layer that mixes them. Look at "
            "what the formula does with the brackets."
        ),
        replaced={"self.W_o(heads.transpose(1, 2).flatten(2))": "heads.transpose(1, 2).flatten(2)"},
    ),
    Misconception(
        name="everything_from_the_query",
        price="mathematics",
        sentence=(
            "You make keys and values of the query too, so the module can only do self-attention. "
            "Each of the three layers reads an argument of its own."
        ),
        replaced={
            "(self.W_k, key), (self.W_v, value)": "(self.W_k, query), (self.W_v, query)",
            "(q, k, v, mask)": "(q, k, v, mask if key.shape == query.shape else None)",
        },
    ),
    Misconception(
        name="keys_and_values_swapped",
        price="mathematics",
        sentence=(
            "You make the keys of `value` and the values of `key`. The order of the arguments is "
            "query, key, value."
        ),
        replaced={
            "(self.W_k, key), (self.W_v, value)": "(self.W_k, value), (self.W_v, key)",
        },
    ),
    Misconception(
        name="mask_not_handed_on",
        price="mathematics",
        sentence=(
            "You do not hand the mask on to your attention function, so nothing is hidden. Look at "
            "its last argument."
        ),
        replaced={
            "scaled_dot_product_attention(q, k, v, mask)": "scaled_dot_product_attention(q, k, v)"
        },
    ),
    Misconception(
        name="dropped_weights_returned",
        price="edge",
        sentence=(
            "You return the weights after the dropout, so in training their rows do not sum to 1. "
            "The question asks for those before."
        ),
        replaced={
            DROPPED: "weights = self.dropout(weights)\n        heads = weights @ v",
        },
    ),
    Misconception(
        name="dropout_on_the_output",
        price="edge",
        sentence=(
            "You drop numbers of the output instead of weights. The question wants the values to "
            "be mixed with dropped weights."
        ),
        replaced={
            DROPPED: "heads = weights @ v",
            "return self.W_o(heads.transpose(1, 2).flatten(2)), weights": (
                "return self.dropout(self.W_o(heads.transpose(1, 2).flatten(2))), weights"
            ),
        },
    ),
    Misconception(
        name="dropout_on_the_queries",
        price="edge",
        sentence=(
            "You drop numbers of the queries, so that other scores come out. The question wants "
            "the values to be mixed with dropped weights."
        ),
        replaced={
            DROPPED: "heads = weights @ v",
            "_, weights = scaled_dot_product_attention(q, k, v, mask)": (
                "_, weights = scaled_dot_product_attention(self.dropout(q), k, v, mask)"
            ),
        },
    ),
    Misconception(
        name="dropped_only_without_a_mask",
        price="edge",
        sentence=(
            "With a mask your module drops nothing in training. A mask says which weights are "
            "zero, and those that are left are dropped as ever."
        ),
        replaced={
            DROPPED: "heads = (self.dropout(weights) if mask is None else weights) @ v",
        },
    ),
    Misconception(
        name="no_dropout",
        price="edge",
        sentence=(
            "Your module drops nothing in training, since it uses the output of your attention "
            "function as it is. Mix the values once more, with dropped weights."
        ),
        replaced={DROPPED: "heads = weights @ v"},
    ),
    Misconception(
        name="weights_averaged_over_heads",
        price="mathematics",
        sentence=(
            "You return the mean of the weights over the heads. The question asks for those of "
            "each head, with an axis for them."
        ),
        replaced={"flatten(2)), weights": "flatten(2)), weights.mean(dim=1)"},
    ),
    Misconception(
        name="scaled_by_the_whole_size",
        price="mathematics",
        sentence=(
            "Your scores are divided by the root of the whole size of the vectors. A head "
            "compares vectors of its own size only, and that decides the scale."
        ),
        replaced={
            "attention(q, k, v, mask)": "attention(q / math.sqrt(self.n_heads), k, v, mask)",
        },
    ),
    Misconception(
        name="heads_take_every_other_number",
        price="mathematics",
        sentence=(
            "Your heads take every other number, not neighbouring ones. That trains as well, "
            "and the weights of BERT mean nothing in it."
        ),
        replaced={
            ".unflatten(-1, (self.n_heads, -1)).transpose(1, 2)": (
                ".unflatten(-1, (-1, self.n_heads)).movedim(-1, 1)"
            ),
            "heads.transpose(1, 2).flatten(2)": "heads.movedim(1, -1).flatten(2)",
        },
    ),
    Misconception(
        name="values_of_the_keys",
        price="mathematics",
        sentence=(
            "You make the values of `key`, so `value` is never used. Each of the three layers "
            "reads an argument of its own."
        ),
        replaced={"(self.W_v, value)": "(self.W_v, key)"},
    ),
    Misconception(
        name="number_of_heads_fixed",
        price="edge",
        sentence=(
            "Your module always has the heads of the example. How many there are is an argument."
        ),
        replaced={"self.n_heads = n_heads": "self.n_heads = 3"},
    ),
    Misconception(
        name="dropout_with_a_fixed_share",
        price="edge",
        sentence="Your dropout has a share of its own. The module is told with which one to drop.",
        replaced={"nn.Dropout(dropout)": "nn.Dropout(0.1)"},
    ),
    Misconception(
        name="one_pattern_for_all_heads",
        price="edge",
        sentence=(
            "You drop the same weights in all heads. Dropout decides for every weight by itself."
        ),
        replaced={
            DROPPED: "heads = (weights * self.dropout(torch.ones_like(weights[:, :1]))) @ v",
        },
    ),
    Misconception(
        name="two_axes_taken_for_keys",
        sentence=(
            "You take a mask of two axes for one that tells each sentence's keys. What broadcasts "
            "has its axes at the end: such a mask tells queries and keys, for all sentences."
        ),
        replaced={
            "_, weights = scaled_dot_product_attention(q, k, v, mask)": (
                "if mask is not None and mask.dim() == 2:\n"
                "            mask = mask[:, None, None]\n"
                "        _, weights = scaled_dot_product_attention(q, k, v, mask)"
            ),
        },
    ),
    Misconception(
        name="split_and_joined_without_transpose",
        price="mathematics",
        sentence=(
            "You cut and join the heads by regrouping numbers alone, so that a head gets slices of "
            "several positions. Axes change places only where you exchange them."
        ),
        replaced={
            SPLIT: "layer(x).reshape(len(x), self.n_heads, x.shape[1], -1)",
            JOINED: "heads.reshape(query.shape)",
        },
    ),
    Misconception(
        name="mask_with_one_axis_more",
        sentence=(
            "You give the mask another axis for the heads. The one that comes broadcasts to the "
            "scores of all heads already, and with one more its axes lie elsewhere."
        ),
        replaced={
            "_, weights = scaled_dot_product_attention(q, k, v, mask)": (
                "if mask is not None:\n"
                "            mask = mask.unsqueeze(1)\n"
                "        _, weights = scaled_dot_product_attention(q, k, v, mask)"
            ),
        },
    ),
    Misconception(
        name="mask_of_the_first_query",
        sentence=(
            "Of a mask with four axes you use the part of the first head and the first query for "
            "all of them. Each head and each query may have keys of its own."
        ),
        replaced={
            "_, weights = scaled_dot_product_attention(q, k, v, mask)": (
                "if mask is not None and mask.dim() == 4:\n"
                "            mask = mask[:, :1, :1]\n"
                "        _, weights = scaled_dot_product_attention(q, k, v, mask)"
            )
        },
    ),
    Misconception(
        name="dropout_of_pytorchs_share",
        sentence=(
            "Your dropout has the share that PyTorch takes when it is told none. The module is "
            "told with which one to drop."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout()"},
        price="edge",
    ),
    Misconception(
        name="whole_heads_dropped",
        sentence=(
            "You drop all weights of a head at once. Dropout decides for every weight by itself: "
            "its relatives with a number in their names take whole channels."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout2d(dropout)"},
        price="edge",
    ),
    Misconception(
        name="rows_sum_to_one_after_dropout",
        sentence=(
            "You divide the weights that are left by their sum. Dropout makes them larger by "
            "itself, and in training a row need not sum to 1."
        ),
        replaced={
            "heads = self.dropout(weights) @ v": (
                "kept = self.dropout(weights)\n"
                "        heads = kept / kept.sum(dim=-1, keepdim=True).clamp(min=1e-9) @ v"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="dropout_on_the_output_too",
        price="edge",
        sentence=(
            "You drop weights, as you should, and then other numbers as well, after the values are "
            "mixed. What the module returns is dropped by the layer around it."
        ),
        replaced={
            "return self.W_o(heads.transpose(1, 2).flatten(2)), weights": (
                "return self.dropout(self.W_o(heads.transpose(1, 2).flatten(2))), weights"
            ),
        },
    ),
    Misconception(
        name="queries_and_keys_normalised",
        price="mathematics",
        sentence=(
            "You bring queries and keys to one length before they meet, as some newer models do. "
            "BERT's weights were trained for dot products of the vectors as they are."
        ),
        replaced={
            "        _, weights = scaled": (
                "        q, k = (\n"
                "            nn.functional.normalize(part, dim=-1) * part.shape[-1] ** 0.5\n"
                "            for part in (q, k)\n"
                "        )\n"
                "        _, weights = scaled"
            ),
        },
    ),
    Misconception(
        name="dropout_on_the_values",
        price="edge",
        sentence=(
            "You drop numbers of the values before they are mixed. What is dropped here are the "
            "weights that mix them."
        ),
        replaced={DROPPED: "heads = weights @ self.dropout(v)"},
    ),
    Misconception(
        name="mean_of_the_heads_for_each",
        price="mathematics",
        sentence=(
            "The weights that you return are the same for all heads, their mean. Each head has "
            "looked for itself, and its own weights are asked for."
        ),
        replaced={
            "flatten(2)), weights": (
                "flatten(2)), weights.mean(dim=1, keepdim=True).expand_as(weights)"
            )
        },
    ),
    Misconception(
        name="scores_dropped",
        sentence=(
            "You drop scores before the softmax, so that other keys get the weight of those "
            "dropped, and the weights that you return change. What comes out of the softmax is "
            "dropped."
        ),
        replaced={
            DROPPED: "heads = weights @ v",
            "        _, weights = scaled": (
                "        if self.training:\n"
                "            kept = torch.rand(\n"
                "                *q.shape[:-1], k.shape[-2], device=q.device\n"
                "            ) >= self.dropout.p\n"
                "            mask = kept if mask is None else mask & kept\n"
                "        _, weights = scaled"
            ),
        },
    ),
    Misconception(
        name="as_many_keys_as_queries",
        price="mathematics",
        sentence=(
            "You cut keys and values with the length of the query. They may be more or fewer than "
            "the queries: read their length off themselves."
        ),
        replaced={
            "layer(x).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)": (
                "layer(x)\n"
                "            .view(*query.shape[:2], self.n_heads, x.shape[2] // self.n_heads)\n"
                "            .transpose(1, 2)"
            ),
        },
    ),
    Misconception(
        name="weights_detached",
        price="learning",
        sentence=(
            "You mix the values with weights that are cut off from what they were computed of, "
            "so that queries and keys learn nothing. Dropout needs no such cut."
        ),
        replaced={
            "self.dropout(weights) @ v": "self.dropout(weights.detach()) @ v",
        },
    ),
    Misconception(
        name="input_added",
        price="mathematics",
        sentence=(
            "You add the query to what the heads have found. The residual connection belongs to "
            "the layer around this module."
        ),
        replaced={
            "return self.W_o(heads.transpose(1, 2).flatten(2)), weights": (
                "return query + self.W_o(heads.transpose(1, 2).flatten(2)), weights"
            ),
        },
    ),
    Misconception(
        name="keys_of_the_queries",
        sentence=(
            "Where both are as long you make the keys of the queries. They are made of what was "
            "handed in for them."
        ),
        code="""class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        if key.shape == query.shape:
            key = query
        q, k, v = (
            self.split(self.W_q(query)),
            self.split(self.W_k(key)),
            self.split(self.W_v(value)),
        )
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        heads = self.dropout(weights) @ v
        return self.W_o(heads.transpose(1, 2).flatten(2)), weights
""",
    ),
    Misconception(
        name="values_dropped",
        sentence="You drop numbers of the values, too. Dropout acts on the weights alone.",
        code="""class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k, v = (
            self.split(self.W_q(query)),
            self.split(self.W_k(key)),
            self.split(self.W_v(value)),
        )
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        heads = self.dropout(weights) @ self.dropout(v)
        return self.W_o(heads.transpose(1, 2).flatten(2)), weights
""",
        price="edge",
    ),
    Misconception(
        name="mask_gets_an_axis_of_heads_in_the_middle",
        sentence=(
            "You give a mask of three axes an axis for heads, or take a part of it for each "
            "head. It fits as it is: what stands in front of its last two axes broadcasts."
        ),
        code='''class MultiHeadAttention(nn.Module):
    """Several heads look at a sequence at the same time, each in a piece of the vectors."""

    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)

    def split(self, x):
        return x.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        if mask is not None and mask.dim() == 3:
            mask = mask.unsqueeze(1)
        v = self.split(self.W_v(value))
        _, weights = scaled_dot_product_attention(
            self.split(self.W_q(query)), self.split(self.W_k(key)), v, mask
        )
        mixed = self.dropout(weights) @ v
        return self.W_o(mixed.transpose(1, 2).flatten(2)), weights
''',
    ),
    Misconception(
        name="zero_taken_for_not_given",
        price="edge",
        sentence=(
            "Whoever asks for no dropout, `dropout=0`, gets some: for `or` and `if` a zero counts "
            "as nothing given."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout(dropout or 0.1)"},
    ),
    Misconception(
        name="share_that_is_kept",
        price="edge",
        sentence=(
            "You take `dropout` for the share that is kept. It is the one that is dropped, as it "
            "is for PyTorch."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout(1 - dropout)"},
    ),
    Misconception(
        name="heads_first_and_masks_sentence_by_sentence",
        sentence=(
            "Along the one axis for heads and sentences your vectors stand head by head, and the "
            "masks sentence by sentence, so that most rows are hidden by the mask of another. "
            "Both need the same order."
        ),
        code="""class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads, self.p = n_heads, dropout
        self.W_q, self.W_k, self.W_v, self.W_o = (nn.Linear(d_model, d_model) for _ in range(4))

    def forward(self, query, key, value, mask=None):
        sides = self.W_q(query), self.W_k(key), self.W_v(value)
        q, k, v = (torch.cat(side.tensor_split(self.n_heads, dim=2)) for side in sides)
        if mask is not None:
            shape = len(query), self.n_heads, q.size(1), k.size(1)
            mask = mask.broadcast_to(shape).flatten(0, 1)
        _, weights = scaled_dot_product_attention(q, k, v, mask)
        mixed = nn.functional.dropout(weights, self.p, self.training) @ v
        output = self.W_o(torch.cat(mixed.tensor_split(self.n_heads), dim=2))
        return output, weights.unflatten(0, (self.n_heads, -1)).transpose(0, 1)
""",
        price="edge",
    ),
    Misconception(
        name="sentences_first_and_masks_head_by_head",
        sentence=(
            "Your vectors stand sentence by sentence along the one axis for sentences and heads, "
            "and the masks head by head, as `repeat` puts them. A row then meets the mask of "
            "another sentence."
        ),
        code="""class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.1):
        super().__init__()
        self.h = n_heads
        self.W_q, self.W_k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.W_v, self.W_o = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.drop = nn.Dropout(dropout)

    def _cut(self, side):
        return side.unflatten(2, (self.h, -1)).transpose(1, 2).flatten(0, 1)

    def forward(self, query, key, value, mask=None):
        q, k, v = self._cut(self.W_q(query)), self._cut(self.W_k(key)), self._cut(self.W_v(value))
        if mask is not None:
            mask = mask.expand(len(query), self.h, q.size(1), k.size(1))
            mask = mask.transpose(0, 1).flatten(0, 1)
        weights = scaled_dot_product_attention(q, k, v, mask)[1]
        mixed = (self.drop(weights) @ v).unflatten(0, (-1, self.h))
        whole = self.W_o(mixed.transpose(1, 2).flatten(2))
        return whole, weights.unflatten(0, (-1, self.h))
""",
        price="edge",
    ),
    Misconception(
        name="mask_of_the_first_head_for_all",
        sentence=(
            "All your heads hide what the mask of the first head hides. A mask may have something "
            "else for each head."
        ),
        replaced={
            "        _, weights = scaled": (
                "        if mask is not None:\n"
                "            whole = mask.expand(len(q), self.n_heads, q.size(2), k.size(2))\n"
                "            mask = whole[:, :1]\n"
                "        _, weights = scaled"
            )
        },
        price="edge",
    ),
    Misconception(
        name="mask_of_the_first_sentence_for_all",
        sentence=(
            "In all sentences you hide what the mask of the first one hides. Each sentence has a "
            "mask of its own."
        ),
        replaced={
            "        _, weights = scaled": (
                "        if mask is not None:\n"
                "            mask = mask[:1] if mask.dim() > 3 else mask\n"
                "        _, weights = scaled"
            )
        },
        price="edge",
    ),
    Misconception(
        name="weights_of_heads_and_sentences_mixed_up",
        sentence=(
            "The weights that you return are regrouped where heads and sentences should change "
            "places, so that a sentence gets weights of another one. What belongs to one head of "
            "one sentence stays together, at its own place."
        ),
        replaced={
            ".flatten(2)), weights": (
                ".flatten(2)), weights.transpose(0, 1).reshape(weights.shape)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_joined_number_by_number",
        sentence=(
            "You join the heads as one shuffles cards: the first number of each head, then "
            "the second of each. The numbers of one head stay side by side."
        ),
        replaced={
            "heads.transpose(1, 2).flatten(2)": "heads.permute(0, 2, 3, 1).flatten(2)",
        },
        price="mathematics",
    ),
]
