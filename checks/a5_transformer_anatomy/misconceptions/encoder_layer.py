"""Norms and residual connections in the wrong places."""

from autograder.checking import Misconception

FIRST = "x = self.norm1(x + self.dropout(attended))"
SECOND = "return self.norm2(x + self.dropout(self.feed_forward(x)))"

MISCONCEPTIONS = [
    Misconception(
        name="pre_norm",
        price="mathematics",
        sentence=(
            "You normalise before each block (pre-norm). BERT does it after the sum, and so does "
            "the formula of this question."
        ),
        replaced={
            "attended, _ = self.attention(x, x, x, mask)": (
                "normed = self.norm1(x)\n"
                "        attended, _ = self.attention(normed, normed, normed, mask)"
            ),
            FIRST: "x = x + self.dropout(attended)",
            SECOND: "return x + self.dropout(self.feed_forward(self.norm2(x)))",
        },
    ),
    Misconception(
        name="no_residual_around_attention",
        price="mathematics",
        sentence=(
            "You normalise what the attention found without adding what came in, so the layer "
            "forgets its input. The first sum is missing."
        ),
        replaced={FIRST: "x = self.norm1(self.dropout(attended))"},
    ),
    Misconception(
        name="no_residual_around_feed_forward",
        price="mathematics",
        sentence=(
            "You normalise what the feed-forward network made without adding what went into it. "
            "The second sum is missing."
        ),
        replaced={SECOND: "return self.norm2(self.dropout(self.feed_forward(x)))"},
    ),
    Misconception(
        name="second_residual_from_the_input",
        price="mathematics",
        sentence=(
            "Your second sum adds the layer's input once more. It should add what came out of the "
            "first norm."
        ),
        replaced={
            FIRST: "middle = self.norm1(x + self.dropout(attended))",
            SECOND: "return self.norm2(x + self.dropout(self.feed_forward(middle)))",
        },
    ),
    Misconception(
        name="one_norm_for_both",
        price="mathematics",
        sentence=(
            "You use the first norm in both places. Each has weights of its own, learned for its "
            "own place."
        ),
        replaced={"self.norm2(x +": "self.norm1(x +"},
    ),
    Misconception(
        name="default_eps",
        price="edge",
        sentence=(
            "Your norms have the eps that PyTorch gives them when it is told none. The question "
            "names another one, which shows where the numbers are small."
        ),
        replaced={
            "self.norm1 = nn.LayerNorm(d_model, eps=1e-6)": "self.norm1 = nn.LayerNorm(d_model)",
            "self.norm2 = nn.LayerNorm(d_model, eps=1e-6)": "self.norm2 = nn.LayerNorm(d_model)",
        },
    ),
    Misconception(
        name="no_last_norm",
        price="mathematics",
        sentence=(
            "You return the second sum as it is. It is normalised too, before the next layer gets "
            "it."
        ),
        replaced={SECOND: "return x + self.dropout(self.feed_forward(x))"},
    ),
    Misconception(
        name="mask_not_handed_on",
        price="mathematics",
        sentence=(
            "You do not hand the mask on to the attention, so padding is attended to. Look at its "
            "last argument."
        ),
        replaced={"self.attention(x, x, x, mask)": "self.attention(x, x, x)"},
    ),
    Misconception(
        name="no_dropout_around_the_blocks",
        price="edge",
        sentence=(
            "In training you add what the blocks put out without dropping any of it. The formula "
            "has a dropout around each block, besides those inside."
        ),
        replaced={
            "x + self.dropout(attended)": "x + attended",
            "x + self.dropout(self.feed_forward(x))": "x + self.feed_forward(x)",
        },
    ),
    Misconception(
        name="returns_the_weights_too",
        price="mathematics",
        sentence=(
            "Your layer returns a pair where one tensor is asked for. The next layer could not "
            "take it as its input."
        ),
        replaced={
            "self.dropout(self.feed_forward(x)))": "self.dropout(self.feed_forward(x))), _",
        },
    ),
    Misconception(
        name="no_dropout_around_attention",
        price="edge",
        sentence=(
            "In training you add what the attention puts out as it is. The formula drops a part of "
            "it first, as it does with the other block."
        ),
        replaced={"x + self.dropout(attended)": "x + attended"},
    ),
    Misconception(
        name="no_dropout_around_feed_forward",
        price="edge",
        sentence=(
            "In training you add what the feed-forward network puts out as it is. The formula "
            "drops a part of it first, as it does with the other block."
        ),
        replaced={"x + self.dropout(self.feed_forward(x))": "x + self.feed_forward(x)"},
    ),
    Misconception(
        name="dropout_with_a_fixed_share",
        price="edge",
        sentence=(
            "Your dropout around the blocks has a share of its own. The layer is told with which "
            "one to drop."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout(0.1)"},
    ),
    Misconception(
        name="attention_with_a_dropout_of_its_own",
        price="edge",
        sentence=(
            "Your attention keeps its usual dropout, whatever the layer is told. Attention, "
            "network, and what each adds to its input, use the same."
        ),
        replaced={
            "MultiHeadAttention(d_model, n_heads, dropout)": "MultiHeadAttention(d_model, n_heads)"
        },
    ),
    Misconception(
        name="one_norm_under_two_names",
        price="mathematics",
        sentence=(
            "Your two norms are one module under two names, so they share scale and shift. Each "
            "has weights of its own, learned for its own place."
        ),
        replaced={"self.norm2 = nn.LayerNorm(d_model, eps=1e-6)": "self.norm2 = self.norm1"},
    ),
    Misconception(
        name="number_of_heads_fixed",
        price="edge",
        sentence=(
            "Your layer has the heads of the example, whatever number it is told. Hand its own "
            "argument on."
        ),
        replaced={"MultiHeadAttention(d_model, n_heads,": "MultiHeadAttention(d_model, 3,"},
    ),
    Misconception(
        name="norm_inside_the_residual",
        price="mathematics",
        sentence=(
            "You normalise what a block returns before you add it. In post-norm it is the sum "
            "that is normalised."
        ),
        replaced={
            "self.norm1(x + self.dropout(attended))": "x + self.norm1(self.dropout(attended))",
            ("self.norm2(x + self.dropout(self.feed_forward(x)))"): (
                "x + self.norm2(self.dropout(self.feed_forward(x)))"
            ),
        },
    ),
    Misconception(
        name="feed_forward_of_the_input",
        price="mathematics",
        sentence=(
            "Your feed-forward network works on the layer's input. It should take what came out of "
            "the first norm, which is also what it is added to."
        ),
        replaced={
            FIRST: "middle = self.norm1(x + self.dropout(attended))",
            SECOND: "return self.norm2(middle + self.dropout(self.feed_forward(x)))",
        },
    ),
    Misconception(
        name="parts_with_a_dropout_of_their_own",
        price="edge",
        sentence=(
            "Attention and network keep their usual dropout, whatever the layer is told. Hand its "
            "own on to both."
        ),
        replaced={
            "MultiHeadAttention(d_model, n_heads, dropout)": "MultiHeadAttention(d_model, n_heads)",
            "PositionwiseFeedForward(d_model, d_ff, dropout)": (
                "PositionwiseFeedForward(d_model, d_ff)"
            ),
        },
    ),
    Misconception(
        name="dropout_of_the_sums",
        price="edge",
        sentence=(
            "You drop numbers of the whole sums, before or after their norms, so that the input is "
            "dropped as well. Only what a block adds is dropped, which keeps the way around it "
            "free."
        ),
        replaced={
            FIRST: "x = self.norm1(self.dropout(x + attended))",
            SECOND: "return self.norm2(self.dropout(x + self.feed_forward(x)))",
        },
    ),
    Misconception(
        name="norms_exchanged",
        price="mathematics",
        sentence=(
            "Your two norms have changed places. Fresh ones are alike, but with trained weights it "
            "matters which one comes after the attention."
        ),
        replaced={
            FIRST: "x = self.norm2(x + self.dropout(attended))",
            SECOND: "return self.norm1(x + self.dropout(self.feed_forward(x)))",
        },
    ),
    Misconception(
        name="hidden_positions_learn_nothing",
        sentence=(
            "Positions that the mask hides get nothing from the attention in your layer. A mask "
            "says who may be looked at, not who looks: hidden positions are computed like others."
        ),
        replaced={
            "        x = self.norm1(x + self.dropout(attended))": (
                "        if mask is not None and (mask.dim() == 1 or mask.shape[-2] == 1):\n"
                "            keys = mask.expand(len(x), 1, 1, x.shape[1])[:, 0, 0]\n"
                "            attended = attended * keys[..., None]\n"
                "        x = self.norm1(x + self.dropout(attended))"
            ),
        },
    ),
    Misconception(
        name="eps_of_berts_configuration",
        price="edge",
        sentence=(
            "Your norms have the eps that stands in BERT's configuration. The question names "
            "another one, which shows where the numbers are small."
        ),
        replaced={
            f"self.{norm} = nn.LayerNorm(d_model, eps=1e-6)": (
                f"self.{norm} = nn.LayerNorm(d_model, eps=1e-12)"
            )
            for norm in ("norm1", "norm2")
        },
    ),
    Misconception(
        name="norms_without_a_mean",
        price="mathematics",
        sentence=(
            "Your norms divide by the size of a vector and leave its mean, as newer models do. "
            "BERT's norms subtract the mean, and they have a shift."
        ),
        replaced={
            f"self.{norm} = nn.LayerNorm(d_model, eps=1e-6)": (
                f"self.{norm} = nn.RMSNorm(d_model, eps=1e-6)"
            )
            for norm in ("norm1", "norm2")
        },
    ),
    Misconception(
        name="whole_blocks_dropped",
        sentence=(
            "In training you leave out all that a block adds to a sentence, or nothing of it. "
            "Dropout decides for every number by itself."
        ),
        replaced={
            "x + self.dropout(attended)": (
                "x + attended * self.dropout(torch.ones_like(x[:, :1, :1]))"
            ),
            "return self.norm2(x + self.dropout(self.feed_forward(x)))": (
                "kept = self.dropout(torch.ones_like(x[:, :1, :1]))\n"
                "        return self.norm2(x + self.feed_forward(x) * kept)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="norms_by_the_unbiased_deviation",
        price="mathematics",
        sentence=(
            "Your norms divide by the standard deviation that PyTorch's `std` takes by default, "
            "and eps is added to it. `nn.LayerNorm` takes another one, with eps under the root."
        ),
        code="""
class Norm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.bias = nn.Parameter(torch.zeros(size))
        self.eps = eps

    def forward(self, x):
        mean, deviation = x.mean(-1, keepdim=True), x.std(-1, keepdim=True)
        return self.weight * (x - mean) / (deviation + self.eps) + self.bias


class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout)
        self.norm1 = Norm(d_model)
        self.norm2 = Norm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        attended, _ = self.attention(x, x, x, mask)
        x = self.norm1(x + self.dropout(attended))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
    ),
    Misconception(
        name="two_axes_taken_for_keys",
        sentence=(
            "You take a mask of two axes for one that tells each sentence's keys. It tells which "
            "query may look at which key, in all sentences: hand it on as it comes."
        ),
        replaced={
            "        attended, _ = self.attention(x, x, x, mask)": (
                "        if mask is not None and mask.dim() == 2:\n"
                "            mask = mask[:, None, None]\n"
                "        attended, _ = self.attention(x, x, x, mask)"
            ),
        },
    ),
    Misconception(
        name="mean_left_in_the_norms",
        price="mathematics",
        sentence=(
            "Your norms divide by the size of a vector and leave its mean, and they add no "
            "shift. A layer norm subtracts the mean first, and has a learned shift."
        ),
        replaced={
            "self.norm1 = nn.LayerNorm(d_model, eps=1e-6)": "self.norm1 = Sized(d_model, eps=1e-6)",
            "self.norm2 = nn.LayerNorm(d_model, eps=1e-6)": "self.norm2 = Sized(d_model, eps=1e-6)",
            "class EncoderLayer(nn.Module):": (
                "class Sized(nn.LayerNorm):\n"
                "    def forward(self, x):\n"
                "        size = torch.sqrt((x**2).mean(dim=-1, keepdim=True) + self.eps)\n"
                "        return self.weight * x / size\n"
                "\n"
                "\n"
                "class EncoderLayer(nn.Module):"
            ),
        },
    ),
    Misconception(
        name="dropout_on_the_sum",
        sentence=(
            "You drop numbers of the sum with the residual. Dropout acts on what the sub-layer "
            "puts out, before it is added."
        ),
        code="""class EncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, n_heads, dropout)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff, dropout)
        self.norm1 = nn.LayerNorm(d_model, eps=1e-6)
        self.norm2 = nn.LayerNorm(d_model, eps=1e-6)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        x = self.norm1(self.dropout(x + self.attention(x, x, x, mask)[0]))
        return self.norm2(x + self.dropout(self.feed_forward(x)))
""",
        price="edge",
    ),
    Misconception(
        name="pre_norm_around_attention",
        sentence=(
            "Around the attention you norm what goes in. Here the norm comes last: first the "
            "input is added to what the attention gives."
        ),
        replaced={
            "attended, _ = self.attention(x, x, x, mask)": (
                "normed = self.norm1(x)\n"
                "        attended, _ = self.attention(normed, normed, normed, mask)"
            ),
            "self.norm1(x + self.dropout(attended))": "x + self.dropout(attended)",
        },
        price="mathematics",
    ),
    Misconception(
        name="pre_norm_around_feed_forward",
        sentence=(
            "Around the feed-forward network you norm what goes in. Here the norm comes last: "
            "first the input is added to what it gives."
        ),
        replaced={
            "self.norm2(x + self.dropout(self.feed_forward(x)))": (
                "x + self.dropout(self.feed_forward(self.norm2(x)))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="normalises_attention_before_adding",
        sentence=(
            "You norm what the attention gives, and then add the input. The sum of both is normed."
        ),
        replaced={
            "self.norm1(x + self.dropout(attended))": ("x + self.norm1(self.dropout(attended))"),
        },
        price="mathematics",
    ),
    Misconception(
        name="normalises_feed_forward_before_adding",
        sentence=(
            "You norm what the feed-forward network gives, and then add its input. The sum of "
            "both is normed."
        ),
        replaced={
            "self.norm2(x + self.dropout(self.feed_forward(x)))": (
                "x + self.norm2(self.dropout(self.feed_forward(x)))"
            ),
        },
        price="mathematics",
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
        name="one_pattern_for_both_blocks",
        price="edge",
        sentence=(
            "You draw once what is dropped, and drop the same places around both blocks. Each of "
            "them is dropped by itself."
        ),
        replaced={
            "        attended, _ =": (
                "        kept = self.dropout(torch.ones_like(x))\n        attended, _ ="
            ),
            "self.dropout(attended)": "kept * attended",
            "self.dropout(self.feed_forward(x))": "kept * self.feed_forward(x)",
        },
    ),
    Misconception(
        name="hidden_positions_are_zero",
        sentence=(
            "You set the output of positions to zero that a mask hides. A mask says who may be "
            "looked at; a hidden position still looks at others, and has an output."
        ),
        replaced={
            "        return self.norm2(": "        found = self.norm2(",
            "self.dropout(self.feed_forward(x)))": (
                "self.dropout(self.feed_forward(x)))\n"
                "        if mask is not None and mask.shape[-2] == 1:\n"
                "            found = found * mask.flatten(0, -2)[..., None]\n"
                "        elif mask is not None and mask.dim() == 1:\n"
                "            found = found * mask[:, None]\n"
                "        return found"
            ),
        },
    ),
    Misconception(
        name="as_many_sequences_as_positions",
        sentence=(
            "Where there are as many sequences as positions you take a table of queries and keys "
            "for one row for each sequence. By the usual broadcasting it is the table, always."
        ),
        replaced={
            "        attended, _ =": (
                "        if mask is not None and mask.shape == x.shape[:2]:\n"
                "            mask = mask[:, None, None]\n"
                "        attended, _ ="
            ),
        },
    ),
    Misconception(
        name="side_by_side_with_one_norm",
        sentence=(
            "Attention and feed-forward network both work on the input of the block, and "
            "one norm stands around their sum. Here the feed-forward network works on what "
            "came out of the first half, which has a norm of its own."
        ),
        replaced={
            (
                "        x = self.norm1(x + self.dropout(attended))\n"
                "        return self.norm2(x + self.dropout(self.feed_forward(x)))"
            ): (
                "        return self.norm2(x + self.dropout(attended) + "
                "self.dropout(self.feed_forward(x)))"
            ),
        },
        price="mathematics",
    ),
]
