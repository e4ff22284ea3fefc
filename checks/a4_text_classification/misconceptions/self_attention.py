"""What students get wrong when several heads work at once."""

from autograder.checking import Misconception

HEAD = """class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.to_queries = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_keys = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_values = nn.Linear(embed_dim, embed_dim, bias=False)
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.attention = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        batch, length, size = x.shape
        q, k, v = self.to_queries(x), self.to_keys(x), self.to_values(x)
"""

MISCONCEPTIONS = [
    Misconception(
        name="heads_split_by_view",
        price="mathematics",
        sentence=(
            "You cut the heads with a single `view`, which fits but mixes tokens with heads. Cut "
            "the last axis first, then let two axes change places."
        ),
        replaced={
            "layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": (
                "layer(x).view(x.shape[0], self.num_heads, x.shape[1], -1)"
            )
        },
    ),
    Misconception(
        name="heads_cut_and_joined_by_view",
        price="mathematics",
        sentence=(
            "You cut and join the heads by `view` alone, so that a head gets slices of several "
            "tokens. Only a transpose lets two axes change places."
        ),
        replaced={
            "layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": (
                "layer(x).view(x.shape[0], self.num_heads, x.shape[1], -1)"
            ),
            "heads.transpose(1, 2).flatten(2)": "heads.reshape(x.shape)",
        },
    ),
    Misconception(
        name="heads_joined_by_view",
        price="mathematics",
        sentence=(
            "You join the heads without letting the axes change places first, so each position "
            "gets numbers of other positions. Follow the shapes back in the same steps."
        ),
        replaced={"heads.transpose(1, 2).flatten(2)": "heads.reshape(x.shape)"},
    ),
    Misconception(
        name="heads_take_every_other_number",
        price="mathematics",
        sentence=(
            "Your heads take numbers that lie apart in a vector, where the text gives each head a "
            "slice of neighbouring numbers. Look at the order of the two new axes."
        ),
        replaced={
            "unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": (
                "unflatten(-1, (-1, self.num_heads)).movedim(-1, 1)"
            )
        },
    ),
    Misconception(
        name="one_head_only",
        price="mathematics",
        sentence=(
            "You attend with one head of the whole size, whatever num_heads says. The vectors have "
            "to be cut into slices before they are compared."
        ),
        replaced={"self.num_heads = num_heads": "self.num_heads = 1"},
    ),
    Misconception(
        name="attends_over_heads",
        price="mathematics",
        sentence=(
            "After the cut the heads stand behind the positions, so attention compares the heads "
            "of one token. Two axes still have to change places."
        ),
        code=HEAD
        + """        q, k, v = (t.view(batch, length, self.num_heads, -1) for t in (q, k, v))
        return self.unify_heads(self.attention(q, k, v).flatten(2))
""",
    ),
    Misconception(
        name="scaled_by_the_whole_embedding",
        price="mathematics",
        sentence=(
            "You scale by the size of the whole embedding, but each head compares vectors of its "
            "own, smaller size. Think of the spread of a dot product of that many terms."
        ),
        code=HEAD
        + """        q, k, v = (
            t.view(batch, length, self.num_heads, -1).transpose(1, 2) for t in (q, k, v)
        )
        heads = self.attention(q / math.sqrt(self.num_heads), k, v, padding_mask)
        return self.unify_heads(heads.transpose(1, 2).reshape(batch, length, size))
""",
    ),
    Misconception(
        name="queries_and_keys_swapped",
        price="mathematics",
        sentence=(
            "Queries and keys have changed places on the way into your attention. The queries come "
            "first."
        ),
        replaced={"self.attention(q, k, v, padding_mask)": "self.attention(k, q, v, padding_mask)"},
    ),
    Misconception(
        name="keys_and_values_swapped",
        price="mathematics",
        sentence=(
            "Keys and values have changed places on the way into your attention. The values come "
            "last, as they are what is mixed."
        ),
        replaced={"self.attention(q, k, v, padding_mask)": "self.attention(q, v, k, padding_mask)"},
    ),
    Misconception(
        name="mask_not_handed_on",
        price="mathematics",
        sentence=(
            "The padding mask does not reach your `DotProductAttention`, so padding is attended "
            "to. Hand it on."
        ),
        replaced={"self.attention(q, k, v, padding_mask)": "self.attention(q, k, v)"},
    ),
    Misconception(
        name="projections_with_bias",
        price="edge",
        sentence=(
            "Your layers for queries, keys and values have a bias. The question makes them without."
        ),
        replaced={
            "to_queries = nn.Linear(embed_dim, embed_dim, bias=False)": (
                "to_queries = nn.Linear(embed_dim, embed_dim)"
            ),
            "to_keys = nn.Linear(embed_dim, embed_dim, bias=False)": (
                "to_keys = nn.Linear(embed_dim, embed_dim)"
            ),
            "to_values = nn.Linear(embed_dim, embed_dim, bias=False)": (
                "to_values = nn.Linear(embed_dim, embed_dim)"
            ),
        },
    ),
    Misconception(
        name="heads_not_unified",
        price="mathematics",
        sentence=(
            "The layer `unify_heads` is made but never used, so the heads do not talk to each "
            "other. It has the last word in `forward`."
        ),
        replaced={
            "self.unify_heads(heads.transpose(1, 2).flatten(2))": "heads.transpose(1, 2).flatten(2)"
        },
    ),
    Misconception(
        name="heads_of_every_nth_number",
        sentence=(
            "Your heads take numbers of the vectors that lie apart. A slice has numbers that "
            "stand side by side: look at the order of the two new axes."
        ),
        replaced={
            "layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": (
                "layer(x).unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)"
            ),
            "heads.transpose(1, 2).flatten(2)": "heads.permute(0, 2, 3, 1).flatten(2)",
        },
        price="mathematics",
    ),
    Misconception(
        name="scaled_twice",
        sentence=(
            "Your queries, or your keys too, are scaled before they go into your attention, "
            "which scales once more. Once is enough."
        ),
        replaced={
            "self.attention(q, k, v, padding_mask)": (
                "self.attention(q / math.sqrt(q.shape[-1]), k, v, padding_mask)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="dropout_rate_fixed",
        sentence=(
            "The probability that your module is given does not reach its attention, which "
            "always has the same one."
        ),
        replaced={
            "DotProductAttention(dropout)": "DotProductAttention(0.1)",
        },
    ),
    Misconception(
        name="zero_taken_for_not_given",
        sentence=(
            "Whoever asks for no dropout, `dropout=0`, gets some: for `or` and `if` a zero counts "
            "as nothing given."
        ),
        replaced={
            "DotProductAttention(dropout)": "DotProductAttention(dropout or 0.1)",
        },
    ),
    Misconception(
        name="dropout_on_the_output_too",
        sentence=(
            "In training you drop numbers of the output as well. The question drops weights, and "
            "your `DotProductAttention` has done that already."
        ),
        replaced={
            "        self.attention = DotProductAttention(dropout)\n": (
                "        self.attention = DotProductAttention(dropout)\n"
                "        self.dropout = nn.Dropout(dropout)\n"
            ),
            "self.unify_heads(heads.transpose(1, 2).flatten(2))": (
                "self.dropout(self.unify_heads(heads.transpose(1, 2).flatten(2)))"
            ),
        },
    ),
    Misconception(
        name="output_at_padding_blanked",
        price="mathematics",
        sentence=(
            "You set the output at padding to zero. The mask says who may be looked at, not who "
            "gets an answer."
        ),
        replaced={
            "        return self.unify_heads(heads.transpose(1, 2).flatten(2))": (
                "        output = self.unify_heads(heads.transpose(1, 2).flatten(2))\n"
                "        if padding_mask is None:\n"
                "            return output\n"
                "        return output * padding_mask[..., None]"
            )
        },
    ),
    Misconception(
        name="padding_zeroed_in_the_input",
        price="mathematics",
        sentence=(
            "You set the input at padding to zero instead of handing the mask on. A position of "
            "zeros still has a key, and gets weight by it."
        ),
        replaced={
            "        q, k, v = (\n": (
                "        if padding_mask is not None:\n"
                "            x = x * padding_mask[..., None]\n"
                "        q, k, v = (\n"
            ),
            "self.attention(q, k, v, padding_mask)": "self.attention(q, k, v)",
        },
    ),
    Misconception(
        name="mask_repeated_in_another_order",
        price="mathematics",
        sentence=(
            "You fold the heads into the batch and repeat the mask in another order, so that a "
            "head gets the mask of another sequence. Write down which sequence each row belongs to."
        ),
        replaced={
            "        heads = self.attention(q, k, v, padding_mask)\n": (
                "        folded = (part.flatten(0, 1).unsqueeze(1) for part in (q, k, v))\n"
                "        if padding_mask is not None:\n"
                "            padding_mask = padding_mask.repeat(self.num_heads, 1)\n"
                "        heads = self.attention(*folded, padding_mask).reshape(q.shape)\n"
            )
        },
    ),
    Misconception(
        name="residual_inside",
        sentence=(
            "You add the input to what attention gives. That sum is a matter of the block in the "
            "next question; here it would be made twice."
        ),
        replaced={
            "self.unify_heads(heads.transpose(1, 2).flatten(2))": (
                "x + self.unify_heads(heads.transpose(1, 2).flatten(2))"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_by_default",
        sentence=(
            "Your module cuts into as many heads as it has by default. How many there are is told "
            "to it when it is made."
        ),
        replaced={"self.num_heads = num_heads": "self.num_heads = 8"},
    ),
    Misconception(
        name="keys_for_values",
        price="mathematics",
        sentence=(
            "Your values come out of the layer of the keys, so that the layer of the values is "
            "never used. Each of the three has a layer of its own."
        ),
        replaced={
            "in (self.to_queries, self.to_keys, self.to_values)": (
                "in (self.to_queries, self.to_keys, self.to_keys)"
            )
        },
    ),
    Misconception(
        name="other_default_of_heads",
        sentence="The default of `num_heads` is another than in the signature of the question.",
        code="""class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=4, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.to_queries = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_keys = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_values = nn.Linear(embed_dim, embed_dim, bias=False)
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.attention = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        q, k, v = [
            part(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
            for part in [self.to_queries, self.to_keys, self.to_values]
        ]
        return self.unify_heads(
            self.attention(q, k, v, padding_mask).transpose(1, 2).flatten(2)
        )
""",
    ),
    Misconception(
        name="keys_and_values_cut_off",
        sentence=(
            "Keys and values are made of a detached input. The gradient flows through all three "
            "of them."
        ),
        code="""class SelfAttention(nn.Module):
    def __init__(self, embed_dim, num_heads=8, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.to_queries = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_keys = nn.Linear(embed_dim, embed_dim, bias=False)
        self.to_values = nn.Linear(embed_dim, embed_dim, bias=False)
        self.unify_heads = nn.Linear(embed_dim, embed_dim)
        self.attention = DotProductAttention(dropout)

    def forward(self, x, padding_mask=None):
        context = x.detach()
        q = self.to_queries(x).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        k = self.to_keys(context).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        v = self.to_values(context).unflatten(2, (self.num_heads, -1)).transpose(1, 2)
        return self.unify_heads(
            self.attention(q, k, v, padding_mask).transpose(1, 2).flatten(2)
        )
""",
        price="mathematics",
    ),
    Misconception(
        name="nothing_dropped",
        sentence=(
            "In training you drop none of the weights: the module that mixes the values does not "
            "get the dropout that this one is made with."
        ),
        replaced={"DotProductAttention(dropout)": "DotProductAttention(0.0)"},
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
