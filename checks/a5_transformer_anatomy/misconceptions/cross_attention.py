"""What T5 does otherwise than the attention before it, and sides that are mixed up."""

from autograder.checking import Misconception

SIDES = "((self.q, x), (self.k, memory), (self.v, memory))"
SPLIT = "layer(side).unflatten(-1, (self.n_heads, -1)).transpose(1, 2)"
JOINED = "heads.transpose(1, 2).flatten(2)"
MASK = "scores.masked_fill(~mask[:, None, None, :], -math.inf)"

MISCONCEPTIONS = [
    Misconception(
        name="scaled",
        price="mathematics",
        sentence=(
            "You divide the scores by the root of the size of a head. T5 does not: its weights "
            "were made for scores as they are."
        ),
        replaced={
            "scores = q @ k.transpose(-2, -1)": (
                "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])"
            )
        },
    ),
    Misconception(
        name="everything_from_the_decoder",
        price="mathematics",
        sentence=(
            "You make keys and values of the decoder's own positions, so nobody looks at the "
            "source. Only the queries come from `x`."
        ),
        replaced={SIDES: "((self.q, x), (self.k, x), (self.v, x))", "mask is not None": "False"},
    ),
    Misconception(
        name="sides_swapped",
        price="mathematics",
        sentence=(
            "You ask from the source and look at the decoder. The queries come from the decoder, "
            "keys and values from the source."
        ),
        replaced={
            SIDES: "((self.q, memory), (self.k, x), (self.v, x))",
            "mask is not None": "False",
        },
    ),
    Misconception(
        name="mask_not_used",
        price="mathematics",
        sentence="You never use the mask, so the padding of the source is looked at.",
        replaced={MASK: "scores"},
    ),
    Misconception(
        name="mask_inverted",
        price="mathematics",
        sentence=(
            "Your mask hides the tokens that may be looked at and leaves the padding. `True` "
            "means *may* here."
        ),
        replaced={MASK: MASK.replace("~", "")},
    ),
    Misconception(
        name="mask_of_the_first_sentence",
        price="mathematics",
        sentence=(
            "You hide in every sentence what the mask of the first one hides. Each sentence has "
            "a row of its own."
        ),
        replaced={"~mask[:, None, None, :]": "~mask[:1, None, None, :]"},
    ),
    Misconception(
        name="masked_after_the_softmax",
        price="mathematics",
        sentence=(
            "You set weights to zero after the softmax, so the rest of a row no longer sums to "
            "1. Hide the scores before it."
        ),
        replaced={
            MASK: "scores",
            "weights = torch.softmax(scores, dim=-1)": (
                "weights = torch.softmax(scores, dim=-1)\n"
                "        if mask is not None:\n"
                "            weights = weights * mask[:, None, None, :]"
            ),
        },
    ),
    Misconception(
        name="softmax_over_the_queries",
        price="mathematics",
        sentence=(
            "Your softmax runs over the positions of the decoder. Each of them shares its weight "
            "out among the source tokens, so it runs over these."
        ),
        replaced={
            "weights = torch.softmax(scores, dim=-1)": (
                "weights = torch.softmax(scores, dim=-2).nan_to_num()"
            )
        },
    ),
    Misconception(
        name="split_without_transpose",
        price="mathematics",
        sentence=(
            "You regroup the numbers straight into heads and positions, which gives a head numbers "
            "of several positions. Cut the last axis first, then exchange two axes."
        ),
        replaced={SPLIT: "layer(side).reshape(len(x), self.n_heads, side.shape[1], -1)"},
    ),
    Misconception(
        name="joined_without_transpose",
        price="mathematics",
        sentence=(
            "You put the heads together without moving their axis back, so numbers of different "
            "positions end up in one vector."
        ),
        replaced={JOINED: "heads.reshape(len(x), x.shape[1], -1)"},
    ),
    Misconception(
        name="heads_mixed_by_nothing",
        price="mathematics",
        sentence="You return the heads side by side, without the layer `o` that mixes them.",
        replaced={f"self.o({JOINED}), weights": f"{JOINED}, weights"},
    ),
    Misconception(
        name="weights_averaged_over_heads",
        price="mathematics",
        sentence=(
            "You return the mean of the weights over the heads. The question asks for those of "
            "each head, with an axis for them."
        ),
        replaced={f"{JOINED}), weights": f"{JOINED}), weights.mean(dim=1)"},
    ),
    Misconception(
        name="layers_with_bias",
        price="edge",
        sentence=(
            "Your layers have a bias. T5's have none, so its weights do not fit them as they are."
        ),
        replaced={
            f"self.{name} = nn.Linear({sizes}, bias=False)": f"self.{name} = nn.Linear({sizes})"
            for name, sizes in (
                *((letter, "d_model, n_heads * d_kv") for letter in "qkv"),
                ("o", "n_heads * d_kv, d_model"),
            )
        },
    ),
    Misconception(
        name="values_from_the_decoder",
        price="mathematics",
        sentence=(
            "You make the keys of the source and the values of the decoder's positions. A weight "
            "belongs to a source token, so it has to fall on what that token says."
        ),
        replaced={SIDES: "((self.q, x), (self.k, memory), (self.v, x))"},
    ),
    Misconception(
        name="mask_always_expected",
        sentence=(
            "Your `forward` works with its mask as if there always were one. Without a mask, "
            "which is what the default means, nothing is hidden."
        ),
        replaced={
            f"        if mask is not None:\n            scores = {MASK}\n": (
                f"        scores = {MASK}\n"
            )
        },
    ),
    Misconception(
        name="masked_by_a_low_number",
        price="edge",
        sentence=(
            "T5 does not scale its scores, so they can be far below the number that you give to "
            "masked keys. Take the one that nothing is below."
        ),
        replaced={
            "-math.inf": "-1e4",
        },
    ),
    Misconception(
        name="masked_by_a_penalty",
        price="edge",
        sentence=(
            "You take a fixed amount off the scores of masked keys, and T5's scores, which are not "
            "scaled, can be larger than that. What can no score make up for?"
        ),
        replaced={MASK: "scores - 1e4 * (~mask[:, None, None, :]).to(scores.dtype)"},
    ),
    Misconception(
        name="heads_take_every_other_number",
        price="mathematics",
        sentence=(
            "Your heads take numbers that lie apart, where T5's take neighbouring ones. Look at "
            "the order of the two sizes into which you cut the last axis."
        ),
        replaced={
            SPLIT: "layer(side).unflatten(-1, (-1, self.n_heads)).movedim(-1, 1)",
            JOINED: "heads.movedim(1, -1).flatten(2)",
        },
    ),
    Misconception(
        name="scaling_undone_by_another_size",
        sentence=(
            "You undo the scaling of your attention function with the root of another size than "
            "the one it divides by. How large a head is has an argument of its own here, and does "
            "not follow from d_model."
        ),
        replaced={
            "scores = q @ k.transpose(-2, -1)": (
                "back = math.sqrt(x.shape[-1] / self.n_heads) / math.sqrt(q.shape[-1])\n"
                "        scores = (q * back) @ k.transpose(-2, -1)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_with_an_axis_too_few",
        sentence=(
            "Your mask has an axis too few, so that its sentences are lined up with heads. Between "
            "sentences and keys the scores have two axes."
        ),
        replaced={"~mask[:, None, None, :]": "~mask[:, None, :]"},
        price="mathematics",
    ),
    Misconception(
        name="input_added",
        sentence=(
            "You add the input to what the heads have found. The residual connection belongs to "
            "the layer around this module."
        ),
        replaced={
            "return self.o(heads.transpose(1, 2).flatten(2)), weights": (
                "return x + self.o(heads.transpose(1, 2).flatten(2)), weights"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="split_and_joined_without_transpose",
        price="mathematics",
        sentence=(
            "You cut and join the heads by regrouping numbers alone, so that a head gets slices of "
            "several positions. Axes change places only where you exchange them."
        ),
        replaced={
            SPLIT: "layer(side).reshape(len(x), self.n_heads, side.shape[1], -1)",
            JOINED: "heads.reshape(len(x), x.shape[1], -1)",
        },
    ),
    Misconception(
        name="norm_and_residual_of_the_layer",
        price="mathematics",
        sentence=(
            "You normalise x at the beginning and add it at the end, as T5's whole layer does. "
            "Norm and residual stand around this module."
        ),
        replaced={
            SIDES: "((self.q, normed), (self.k, memory), (self.v, memory))",
            "        q, k, v = (\n": (
                "        normed = x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + 1e-6)\n"
                "        q, k, v = (\n"
            ),
            f"return self.o({JOINED})": f"return x + self.o({JOINED})",
        },
    ),
    Misconception(
        name="tokens_that_any_sentence_may_see",
        price="mathematics",
        sentence=(
            "You hide a token only where every sentence of the batch hides it. Each sentence has "
            "padding of its own."
        ),
        replaced={"~mask[:, None, None, :]": "~mask.any(dim=0)"},
    ),
    Misconception(
        name="scaling_undone_by_the_whole_size",
        sentence=(
            "You undo the scaling of your attention function with the root of the size of whole "
            "vectors. It has divided by the root of the size of a head."
        ),
        replaced={
            "scores = q @ k.transpose(-2, -1)": (
                "back = math.sqrt(x.shape[-1]) / math.sqrt(q.shape[-1])\n"
                "        scores = (q * back) @ k.transpose(-2, -1)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_as_it_comes",
        price="mathematics",
        sentence=(
            "You use the mask as it comes, so that its sentences are lined up with the queries. "
            "Between sentences and keys the scores have two more axes."
        ),
        replaced={"~mask[:, None, None, :]": "~mask"},
    ),
    Misconception(
        name="heads_share_the_whole_size",
        price="mathematics",
        sentence=(
            "You divide the size of the vectors among the heads, and `d_kv` is not used. In T5 the "
            "size of a head is free: all heads together may be larger or smaller than a vector."
        ),
        replaced={
            "self.q = nn.Linear(d_model, n_heads * d_kv, ": (
                "self.q = nn.Linear(d_model, d_model, "
            ),
            "self.k = nn.Linear(d_model, n_heads * d_kv, ": "self.k = nn.Linear(d_model, d_model, ",
            "self.v = nn.Linear(d_model, n_heads * d_kv, ": "self.v = nn.Linear(d_model, d_model, ",
            "self.o = nn.Linear(n_heads * d_kv, ": "self.o = nn.Linear(d_model, ",
        },
    ),
    Misconception(
        name="causal_without_a_mask",
        sentence=(
            "You hide the later tokens of the source where no mask is given. Only what the decoder "
            "has yet to write is hidden from it: the source is there as a whole."
        ),
        replaced={
            "        weights = torch.softmax": (
                "        if mask is None:\n"
                "            seen = torch.ones_like(scores, dtype=torch.bool).tril()\n"
                "            scores = scores.masked_fill(~seen, -math.inf)\n"
                "        weights = torch.softmax"
            ),
        },
    ),
    Misconception(
        name="scores_cut_off",
        sentence=(
            "You cut large scores off so that their exponentials stay finite, and beyond that "
            "border all tokens are alike. A softmax asks only how far scores lie apart, and "
            "PyTorch's bears large ones."
        ),
        replaced={
            "        scores = q @ k.transpose(-2, -1)": (
                "        scores = (q @ k.transpose(-2, -1)).clamp(-50, 50)"
            ),
        },
    ),
    Misconception(
        name="hidden_tokens_zeroed_in_the_source",
        price="mathematics",
        sentence=(
            "You set the vectors of hidden tokens to zero in place of their weights. A key of "
            "zeros has the score 0, and the softmax makes a positive weight of it."
        ),
        replaced={
            (
                "        if mask is not None:\n"
                "            scores = scores.masked_fill(~mask[:, None, None, :], -math.inf)\n"
            ): "",
            "        q, k, v = (\n": (
                "        if mask is not None:\n"
                "            memory = memory * mask[..., None]\n"
                "        q, k, v = (\n"
            ),
        },
    ),
    Misconception(
        name="zero_memory_hidden",
        sentence=(
            "Where no mask is given you hide memory that is zero. Nothing says that zeros are "
            "padding."
        ),
        code="""class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        inner = n_heads * d_kv
        self.n_heads = n_heads
        self.q = nn.Linear(d_model, inner, bias=False)
        self.k = nn.Linear(d_model, inner, bias=False)
        self.v = nn.Linear(d_model, inner, bias=False)
        self.o = nn.Linear(inner, d_model, bias=False)

    def forward(self, x, memory, mask=None):
        q, k, v = (
            t.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for t in (self.q(x), self.k(memory), self.v(memory))
        )
        if mask is None:
            mask = memory.abs().sum(dim=-1) > 0
        scores = q @ k.transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        weights = scores.softmax(dim=-1)
        return self.o((weights @ v).transpose(1, 2).flatten(2)), weights
""",
        price="edge",
    ),
    Misconception(
        name="small_weights_dropped",
        sentence=(
            "You set small weights to zero. Rows then no longer sum to 1; nothing asks for that."
        ),
        code="""class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        inner = n_heads * d_kv
        self.n_heads = n_heads
        self.q = nn.Linear(d_model, inner, bias=False)
        self.k = nn.Linear(d_model, inner, bias=False)
        self.v = nn.Linear(d_model, inner, bias=False)
        self.o = nn.Linear(inner, d_model, bias=False)

    def forward(self, x, memory, mask=None):
        q, k, v = (
            t.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for t in (self.q(x), self.k(memory), self.v(memory))
        )
        scores = q @ k.transpose(-2, -1)
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        weights = scores.softmax(dim=-1)
        weights = nn.functional.threshold(weights, 1e-4, 0.0)
        return self.o((weights @ v).transpose(1, 2).flatten(2)), weights
""",
    ),
    Misconception(
        name="scaling_undone_for_one_size",
        sentence=(
            "You undo the scaling of the scores by a number that fits heads of one size alone."
        ),
        code="""class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        self.n_heads = n_heads
        self.q, self.k, self.v = (
            nn.Linear(d_model, n_heads * d_kv, bias=False) for _ in range(3)
        )
        self.o = nn.Linear(n_heads * d_kv, d_model, bias=False)

    def forward(self, x, memory, mask=None):
        q, k, v = (
            t.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for t in (self.q(x), self.k(memory), self.v(memory))
        )
        if mask is not None:
            mask = mask[:, None, None]
        out, weights = scaled_dot_product_attention(2 * q, k, v, mask)
        return self.o(out.transpose(1, 2).flatten(2)), weights
""",
        price="mathematics",
    ),
    Misconception(
        name="no_last_layer_for_one_head",
        sentence=(
            "Where one head is as wide as the model you leave the last layer out. It mixes what "
            "the head has found, however many there are."
        ),
        code="""class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        inner = n_heads * d_kv
        project_out = not (n_heads == 1 and d_kv == d_model)
        self.n_heads = n_heads
        self.q = nn.Linear(d_model, inner, bias=False)
        self.k = nn.Linear(d_model, inner, bias=False)
        self.v = nn.Linear(d_model, inner, bias=False)
        self.o = nn.Linear(inner, d_model, bias=False) if project_out else nn.Identity()

    def forward(self, x, memory, mask=None):
        q, k, v = (
            t.unflatten(-1, (self.n_heads, -1)).transpose(1, 2)
            for t in (self.q(x), self.k(memory), self.v(memory))
        )
        scores = q @ k.mT
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None], -math.inf)
        weights = scores.softmax(-1)
        return self.o((weights @ v).transpose(1, 2).flatten(2)), weights
""",
    ),
    Misconception(
        name="mask_of_the_first_alone",
        sentence=(
            "Whether there is something to hide you ask of the first sentence alone. Each "
            "sentence has its own padding."
        ),
        code="""class CrossAttention(nn.Module):
    def __init__(self, d_model, n_heads, d_kv):
        super().__init__()
        self.n_heads, self.d_kv = n_heads, d_kv
        width = n_heads * d_kv
        self.q, self.k, self.v = (nn.Linear(d_model, width, bias=False) for _ in range(3))
        self.o = nn.Linear(width, d_model, bias=False)

    def forward(self, x, memory, mask=None):
        q = self.q(x).unflatten(2, (self.n_heads, self.d_kv))
        k = self.k(memory).unflatten(2, (self.n_heads, self.d_kv))
        v = self.v(memory).unflatten(2, (self.n_heads, self.d_kv))
        scores = torch.einsum("nlhd,nshd->nhls", q, k)
        if mask is not None and not mask[0].all():
            scores = scores.masked_fill(~mask[:, None, None], -math.inf)
        weights = scores.softmax(dim=-1)
        return self.o(torch.einsum("nhls,nshd->nlhd", weights, v).flatten(2)), weights
""",
        price="edge",
    ),
]
