"""What students get wrong in a block."""

from autograder.checking import Misconception

FIRST = "self.norm1(x + self.attention(x, padding_mask))"
SECOND = "self.norm2(x + self.mlp(x))"

MISCONCEPTIONS = [
    Misconception(
        name="pre_norm",
        price="mathematics",
        sentence=(
            "You normalise the input of each part (pre-norm), where this block normalises the sum "
            "(post-norm). Compare the places of the two norms with the formula."
        ),
        replaced={
            FIRST: "x + self.attention(self.norm1(x), padding_mask)",
            SECOND: "x + self.mlp(self.norm2(x))",
        },
    ),
    Misconception(
        name="no_residual_around_attention",
        price="mathematics",
        sentence=(
            "The input is not added to what the attention found, so each position forgets itself. "
            "Look at the sum in the first line of the formula."
        ),
        replaced={FIRST: "self.norm1(self.attention(x, padding_mask))"},
    ),
    Misconception(
        name="no_residual_around_mlp",
        price="mathematics",
        sentence=(
            "The input of the MLP is not added to its output. Look at the sum in the second half "
            "of the formula."
        ),
        replaced={SECOND: "self.norm2(self.mlp(x))"},
    ),
    Misconception(
        name="adds_the_first_input_twice",
        price="mathematics",
        sentence=(
            "You add the block's own input again after the MLP, where the formula adds what the "
            "first norm gave. Two names for the two stages help."
        ),
        replaced={
            f"        x = {FIRST}\n": f"        y = {FIRST}\n",
            SECOND: "self.norm2(x + self.mlp(y))",
        },
    ),
    Misconception(
        name="normalises_before_adding",
        price="mathematics",
        sentence=(
            "You normalise what each part found and add it afterwards. In this block the sum is "
            "normalised, so that every vector leaves with variance 1."
        ),
        replaced={
            FIRST: "x + self.norm1(self.attention(x, padding_mask))",
            SECOND: "x + self.norm2(self.mlp(x))",
        },
    ),
    Misconception(
        name="pre_norm_around_attention",
        price="mathematics",
        sentence=(
            "You normalise what the attention reads, where this block normalises the sum of input "
            "and attention. Around the MLP your norm has its place."
        ),
        replaced={FIRST: "x + self.attention(self.norm1(x), padding_mask)"},
    ),
    Misconception(
        name="pre_norm_around_mlp",
        price="mathematics",
        sentence=(
            "You normalise what the MLP reads, where this block normalises the sum of input and "
            "MLP. Around the attention your norm has its place."
        ),
        replaced={SECOND: "x + self.mlp(self.norm2(x))"},
    ),
    Misconception(
        name="normalises_attention_before_adding",
        price="mathematics",
        sentence=(
            "You normalise what the attention found and add it afterwards. In this block the sum "
            "is normalised, as you do around the MLP."
        ),
        replaced={FIRST: "x + self.norm1(self.attention(x, padding_mask))"},
    ),
    Misconception(
        name="normalises_mlp_before_adding",
        price="mathematics",
        sentence=(
            "You normalise what the MLP gives and add it afterwards. In this block the sum is "
            "normalised, so that every vector leaves with variance 1."
        ),
        replaced={SECOND: "x + self.norm2(self.mlp(x))"},
    ),
    Misconception(
        name="mask_not_handed_on",
        price="mathematics",
        sentence=(
            "The padding mask does not reach the attention, so padding mixes into the real tokens. "
            "Hand it on."
        ),
        replaced={"self.attention(x, padding_mask)": "self.attention(x)"},
    ),
    Misconception(
        name="one_norm_for_both",
        price="mathematics",
        sentence=(
            "You use the same layer norm twice, but each of the two sums needs learned numbers of "
            "its own."
        ),
        replaced={SECOND: "self.norm1(x + self.mlp(x))"},
    ),
    Misconception(
        name="mlp_four_times_as_wide",
        price="mathematics",
        sentence=(
            "Your MLP is four times as wide as the vectors, as in the original paper. The question "
            "asks for another width."
        ),
        replaced={
            "nn.Linear(embed_dim, 2 * embed_dim)": "nn.Linear(embed_dim, 4 * embed_dim)",
            "nn.Linear(2 * embed_dim, embed_dim)": "nn.Linear(4 * embed_dim, embed_dim)",
        },
    ),
    Misconception(
        name="gelu_for_relu",
        price="mathematics",
        sentence=(
            "Your MLP bends its numbers with GELU, as BERT does. This block is made with another "
            "function."
        ),
        replaced={"nn.ReLU()": "nn.GELU()"},
    ),
    Misconception(
        name="mlp_is_linear",
        price="mathematics",
        sentence=(
            "Between the two layers of your MLP nothing happens, and two linear layers in a row "
            "are only one. The formula has a function between them."
        ),
        replaced={"nn.ReLU(), ": ""},
    ),
    Misconception(
        name="one_head_always",
        sentence=(
            "The number of heads that your block is given does not reach its attention, which "
            "always has one."
        ),
        replaced={
            "SelfAttention(embed_dim, num_heads)": "SelfAttention(embed_dim, 1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="mlp_of_the_input",
        sentence=(
            "Your MLP works on the input of the block. It takes y, what attention and the first "
            "norm have made of it."
        ),
        replaced={
            (
                "        x = self.norm1(x + self.attention(x, padding_mask))\n"
                "        return self.norm2(x + self.mlp(x))"
            ): (
                "        y = self.norm1(x + self.attention(x, padding_mask))\n"
                "        return self.norm2(y + self.mlp(x))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="attention_without_dropout",
        sentence=("You switch the dropout of the attention off. It keeps its usual one."),
        replaced={
            "SelfAttention(embed_dim, num_heads)": "SelfAttention(embed_dim, num_heads, 0.0)",
        },
        price="edge",
    ),
    Misconception(
        name="norms_learn_nothing",
        sentence=(
            "Your layer norms have no numbers that are learned. Each of the two scales and shifts "
            "what it has normalised, by numbers of its own."
        ),
        replaced={
            f"self.{norm} = nn.LayerNorm(embed_dim)": (
                f"self.{norm} = nn.LayerNorm(embed_dim, elementwise_affine=False)"
            )
            for norm in ("norm1", "norm2")
        },
        price="learning",
    ),
    Misconception(
        name="relu_at_the_end_of_the_mlp",
        price="mathematics",
        sentence=(
            "A ReLU stands behind the last layer of your MLP as well, so that it can only add "
            "what is positive. Where does the formula have its maximum?"
        ),
        replaced={
            "nn.Linear(2 * embed_dim, embed_dim)\n": (
                "nn.Linear(2 * embed_dim, embed_dim), nn.ReLU()\n"
            )
        },
    ),
    Misconception(
        name="heads_by_default",
        price="mathematics",
        sentence=(
            "Your attention has as many heads as it has by default. How many there are is told to "
            "your block: hand it on."
        ),
        replaced={"SelfAttention(embed_dim, num_heads)": "SelfAttention(embed_dim)"},
    ),
    Misconception(
        name="attention_written_anew",
        sentence=(
            "Your block computes attention by itself. It is made of your `SelfAttention`, and "
            "later cells look for that in it."
        ),
        replaced={
            "        self.attention = SelfAttention(embed_dim, num_heads)\n": (
                "        self.num_heads = num_heads\n"
                "        self.to_queries = nn.Linear(embed_dim, embed_dim, bias=False)\n"
                "        self.to_keys = nn.Linear(embed_dim, embed_dim, bias=False)\n"
                "        self.to_values = nn.Linear(embed_dim, embed_dim, bias=False)\n"
                "        self.unify_heads = nn.Linear(embed_dim, embed_dim)\n"
                "        self.attention = DotProductAttention(0.1)\n"
            ),
            f"        x = {FIRST}\n": (
                "        q, k, v = (\n"
                "            layer(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)\n"
                "            for layer in (self.to_queries, self.to_keys, self.to_values)\n"
                "        )\n"
                "        heads = self.attention(q, k, v, padding_mask).transpose(1, 2).flatten(2)\n"
                "        x = self.norm1(x + self.unify_heads(heads))\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="mask_on_what_was_found",
        price="mathematics",
        sentence=(
            "You use the mask to blank what the attention found at padding, and the attention "
            "itself knows nothing of it. It is there that nobody should look at padding."
        ),
        replaced={
            f"        x = {FIRST}\n": (
                "        found = self.attention(x)\n"
                "        if padding_mask is not None:\n"
                "            found = found * padding_mask[..., None]\n"
                "        x = self.norm1(x + found)\n"
            )
        },
    ),
    Misconception(
        name="normalised_over_the_sequence",
        price="mathematics",
        sentence=(
            "You normalise all vectors of a headline together, by one mean and one deviation. Each "
            "vector is normalised by itself."
        ),
        replaced={
            f"        x = {FIRST}\n        return {SECOND}": (
                "        for part, norm in (\n"
                "            (lambda y: self.attention(y, padding_mask), self.norm1),\n"
                "            (self.mlp, self.norm2),\n"
                "        ):\n"
                "            x = x + part(x)\n"
                "            x = nn.functional.layer_norm(x, x.shape[1:])\n"
                "            x = x * norm.weight + norm.bias\n"
                "        return x"
            )
        },
    ),
    Misconception(
        name="side_by_side_with_one_norm",
        price="mathematics",
        sentence=(
            "Attention and MLP both work on the input of the block, and one norm follows their "
            "sum. Here the MLP works on what came out of the first half, which has its own norm."
        ),
        replaced={
            f"        x = {FIRST}\n        return {SECOND}": (
                "        return self.norm2(x + self.attention(x, padding_mask) + self.mlp(x))"
            )
        },
    ),
    Misconception(
        name="pre_norm_and_a_norm_at_the_end",
        price="mathematics",
        sentence=(
            "You normalise what each part reads, and once more at the end. In the formula a norm "
            "always follows a sum, and what a part reads is also what is added to it."
        ),
        replaced={
            (
                "        x = self.norm1(x + self.attention(x, padding_mask))\n"
                "        return self.norm2(x + self.mlp(x))"
            ): (
                "        x = x + self.attention(self.norm1(x), padding_mask)\n"
                "        return self.norm2(x + self.mlp(self.norm2(x)))"
            ),
        },
    ),
    Misconception(
        name="output_at_padding_blanked",
        price="mathematics",
        sentence=(
            "You set what your block gives at padding to zero. The mask says who may be looked "
            "at: every position goes through the same formula."
        ),
        replaced={
            "        return self.norm2(x + self.mlp(x))": (
                "        x = self.norm2(x + self.mlp(x))\n"
                "        return x if padding_mask is None else x * padding_mask[..., None]"
            ),
        },
    ),
    Misconception(
        name="padding_blanked_between_the_halves",
        sentence=(
            "You set the vectors at padding to zero before the second half. The mask says "
            "who may be looked at, and nothing looks in the second half: every position "
            "goes through the same formula."
        ),
        replaced={
            "        x = self.norm1(x + self.attention(x, padding_mask))": (
                "        x = self.norm1(x + self.attention(x, padding_mask))\n"
                "        if padding_mask is not None:\n"
                "            x = x.masked_fill(~padding_mask[..., None], 0)"
            ),
        },
        price="mathematics",
    ),
]
