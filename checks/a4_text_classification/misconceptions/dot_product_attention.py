"""What students get wrong in attention that leaves out padding."""

from autograder.checking import Misconception

MASKING = (
    "        if padding_mask is not None:\n"
    "            scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)\n"
)
MISCONCEPTIONS = [
    Misconception(
        name="softmax_over_queries",
        price="mathematics",
        sentence=(
            "Your softmax runs over the queries, so the weights of one query do not sum to 1. "
            "Look for the axis of the keys."
        ),
        replaced={"dim=-1": "dim=-2"},
    ),
    Misconception(
        name="softmax_over_heads",
        price="mathematics",
        sentence=(
            "Your softmax runs over the heads, so they compete instead of looking on their own. "
            "Look for the axis of the keys, counted from the end."
        ),
        replaced={"dim=-1": "dim=1"},
    ),
    Misconception(
        name="scores_not_scaled",
        price="mathematics",
        sentence=(
            "Your scores are not scaled, so with large vectors one key takes all the weight. Look "
            "at the square root in the formula."
        ),
        replaced={" / math.sqrt(q.shape[-1])": ""},
    ),
    Misconception(
        name="scaled_without_the_root",
        price="mathematics",
        sentence=(
            "You divide the scores by the size of the queries itself. The formula takes its square "
            "root."
        ),
        replaced={"math.sqrt(q.shape[-1])": "q.shape[-1]"},
    ),
    Misconception(
        name="scaled_by_the_whole_embedding",
        price="mathematics",
        sentence=(
            "You scale by the size of all heads together, but each head compares vectors of its "
            "own, smaller size. Take the size from the queries that come in."
        ),
        replaced={"math.sqrt(q.shape[-1])": "math.sqrt(q.shape[1] * q.shape[-1])"},
    ),
    Misconception(
        name="mask_after_softmax",
        price="mathematics",
        sentence=(
            "You set the weights on padding to zero after the softmax, so the others no longer sum "
            "to 1. Padding has to leave before."
        ),
        replaced={
            MASKING: "",
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        weights = torch.softmax(scores, dim=-1)\n"
                "        if padding_mask is not None:\n"
                "            weights = weights * padding_mask[:, None, None]\n"
                "        return self.dropout(weights) @ v"
            ),
        },
    ),
    Misconception(
        name="mask_inverted",
        price="mathematics",
        sentence=(
            "You hide the real tokens and attend to the padding. In this course `True` means *may "
            "attend*, and `masked_fill` fills in where its mask is true."
        ),
        replaced={"~padding_mask": "padding_mask"},
    ),
    Misconception(
        name="mask_ignored",
        price="mathematics",
        sentence=(
            "The padding mask is not used, so every query also attends to padding. Its scores have "
            "to leave before the softmax."
        ),
        replaced={
            MASKING: "",
        },
    ),
    Misconception(
        name="padding_scores_are_zero",
        price="mathematics",
        sentence=(
            "You give padding the score zero, but the softmax makes a positive weight of it. Think "
            "of the score that becomes a weight of exactly zero."
        ),
        replaced={"-math.inf": "0.0"},
    ),
    Misconception(
        name="dropout_on_the_output",
        price="edge",
        sentence=(
            "You drop numbers of the output, where the formula drops weights. Dropout comes after "
            "the softmax and before the values."
        ),
        replaced={
            "self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "self.dropout(torch.softmax(scores, dim=-1) @ v)"
            )
        },
    ),
    Misconception(
        name="dropout_forgotten",
        price="edge",
        sentence=(
            "No weight is ever dropped in training. The probability that `__init__` gets has to "
            "reach the weights."
        ),
        replaced={
            "self.dropout(torch.softmax(scores, dim=-1)) @ v": "torch.softmax(scores, dim=-1) @ v"
        },
    ),
    Misconception(
        name="keys_cut_behind_the_longest",
        price="mathematics",
        sentence=(
            "You keep as many keys as the longest sequence has real tokens, counted from the "
            "front. Padding may stand in front of them and between them, and real ones get lost."
        ),
        replaced={
            "        scores = q @": (
                "        if padding_mask is not None:\n"
                "            longest = int(padding_mask.sum(dim=1).max())\n"
                "            k, v = k[:, :, :longest], v[:, :, :longest]\n"
                "            padding_mask = padding_mask[:, :longest]\n"
                "        scores = q @"
            ),
        },
    ),
    Misconception(
        name="dropped_only_without_padding",
        price="edge",
        sentence=(
            "With a mask no weight is ever dropped in training. Padding changes which weights "
            "there are, not whether they are dropped."
        ),
        replaced={
            "        if padding_mask is not None:\n": (
                "        drop = self.dropout if padding_mask is None else lambda kept: kept\n"
                "        if padding_mask is not None:\n"
            ),
            "self.dropout(torch.softmax(scores, dim=-1))": "drop(torch.softmax(scores, dim=-1))",
        },
    ),
    Misconception(
        name="dropout_in_evaluation",
        price="mathematics",
        sentence=(
            "You drop weights in evaluation as well, so the same headline gets another answer each "
            "time. The function `dropout` has to be told whether the module is in training."
        ),
        replaced={
            "self.dropout = nn.Dropout(dropout)": "self.p = dropout",
            "self.dropout(torch.softmax(scores, dim=-1))": (
                "nn.functional.dropout(torch.softmax(scores, dim=-1), self.p)"
            ),
        },
    ),
    Misconception(
        name="mask_hides_queries",
        price="mathematics",
        sentence=(
            "Your mask hides rows, that is queries, where it should hide keys. See which axis "
            "of the scores counts the keys."
        ),
        replaced={
            "padding_mask[:, None, None]": "padding_mask[:, None, :, None]",
        },
    ),
    Misconception(
        name="dropout_on_the_scores",
        sentence=(
            "You drop scores before the softmax, and a score of 0 still has its share. The "
            "formula drops weights."
        ),
        replaced={
            "scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])": (
                "scores = self.dropout(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]))"
            ),
            "self.dropout(torch.softmax(scores, dim=-1))": "torch.softmax(scores, dim=-1)",
        },
        price="edge",
    ),
    Misconception(
        name="softmax_by_hand",
        sentence=(
            "You take the exponential of the scores as they are: of large ones it is infinite, and "
            "of rows far below zero only zeros are left. `torch.softmax` takes care of both."
        ),
        replaced={
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        powers = scores.exp()\n"
                "        return self.dropout(powers / powers.sum(dim=-1, keepdim=True)) @ v"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="first_keys_kept",
        sentence=(
            "You count the real tokens and keep as many of the first keys, as if padding always "
            "came last. The mask says where it stands."
        ),
        replaced={
            "            scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)\n": (
                "            places = torch.arange(k.shape[2], device=k.device)\n"
                "            kept = places < padding_mask.sum(dim=1, keepdim=True)  # (B, L_k)\n"
                "            scores = scores.masked_fill(~kept[:, None, None], -math.inf)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="padding_by_a_low_number",
        price="edge",
        sentence=(
            "Padding gets a low score from you, but the scores of real tokens can be lower, and "
            "then all weight falls on padding. Which number is below every score?"
        ),
        replaced={
            "-math.inf": "-1e4",
        },
    ),
    Misconception(
        name="one_dropout_for_all",
        sentence=(
            "All heads and sequences drop the same weights. Each weight is dropped by itself."
        ),
        replaced={
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        weights = torch.softmax(scores, dim=-1)\n"
                "        return weights * self.dropout(torch.ones_like(weights[:1, :1])) @ v"
            )
        },
    ),
    Misconception(
        name="padding_by_a_billion",
        sentence=(
            "You give padding a score that is low but not the lowest, and scores below it lose "
            "against padding. Nothing is lower than minus infinity."
        ),
        replaced={"-math.inf": "-1e9"},
    ),
    Misconception(
        name="scaled_by_the_size_of_the_values",
        price="mathematics",
        sentence=(
            "You take the size for the scale from the values, but it is queries and keys that are "
            "multiplied. The two sizes may differ."
        ),
        replaced={"math.sqrt(q.shape[-1])": "math.sqrt(v.shape[-1])"},
    ),
    Misconception(
        name="penalty_at_padding",
        price="edge",
        sentence=(
            "You take a fixed amount off the scores of padding, and a score that is larger than "
            "this amount outweighs it. What can no score make up for?"
        ),
        replaced={
            "scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)": (
                "scores = scores - 1e4 * (~padding_mask[:, None, None]).to(scores.dtype)"
            )
        },
    ),
    Misconception(
        name="normalised_after_dropout",
        price="edge",
        sentence=(
            "You make the rows sum to 1 again after dropout. It has made the weights that are "
            "left larger already, so that the sum is 1 on the average."
        ),
        replaced={
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        weights = self.dropout(torch.softmax(scores, dim=-1))\n"
                "        return weights / weights.sum(dim=-1, keepdim=True) @ v"
            )
        },
    ),
    Misconception(
        name="padding_zeroed_in_keys_and_values",
        price="mathematics",
        sentence=(
            "You set keys and values of padding to zero. A key of zeros has the score 0, and the "
            "softmax makes a positive weight of it."
        ),
        replaced={
            "        scores = q @": (
                "        if padding_mask is not None:\n"
                "            k = k * padding_mask[:, None, :, None]\n"
                "            v = v * padding_mask[:, None, :, None]\n"
                "        scores = q @"
            ),
            (
                "        if padding_mask is not None:\n"
                "            scores = scores.masked_fill(~padding_mask[:, None, None], -math.inf)\n"
            ): "",
        },
    ),
    Misconception(
        name="later_keys_hidden",
        price="mathematics",
        sentence=(
            "You hide the keys that come after a query's own position, as a model does that writes "
            "word by word. A headline is read as a whole."
        ),
        replaced={
            "        return self.dropout(": (
                "        later = torch.ones_like(scores, dtype=torch.bool).triu(1)\n"
                "        scores = scores.masked_fill(later, -math.inf)\n"
                "        return self.dropout("
            )
        },
    ),
    Misconception(
        name="largest_score_of_padding_taken_off",
        sentence=(
            "You take off the largest score before padding is hidden. Where it is that of padding, "
            "the exponentials of all real tokens can become zero."
        ),
        replaced={
            MASKING: "        powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()\n"
            "        if padding_mask is not None:\n"
            "            powers = powers.masked_fill(~padding_mask[:, None, None], 0)\n",
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        weights = powers / (powers.sum(dim=-1, keepdim=True) + 1e-12)\n"
                "        return self.dropout(weights) @ v"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="later_keys_hidden_among_themselves",
        sentence=(
            "Where there are as many keys as queries you hide those that come later, as a model "
            "does that writes word by word. A headline is read as a whole."
        ),
        replaced={
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        if scores.shape[-2] == scores.shape[-1]:\n"
                "            later = torch.ones_like(scores, dtype=torch.bool).triu(1)\n"
                "            scores = scores.masked_fill(later, -math.inf)\n"
                "        weights = torch.softmax(scores, dim=-1).nan_to_num()\n"
                "        return self.dropout(weights) @ v"
            )
        },
    ),
    Misconception(
        name="overflow_made_zero",
        price="edge",
        sentence=(
            "You take the exponential of the scores as they are and put zeros where that gives no "
            "numbers, so that large scores get no weight at all. `torch.softmax` needs no repair."
        ),
        replaced={
            MASKING: "        powers = scores.exp()\n"
            "        if padding_mask is not None:\n"
            "            powers = powers.masked_fill(~padding_mask[:, None, None], 0)\n",
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        weights = powers / powers.sum(dim=-1, keepdim=True)\n"
                "        return self.dropout(weights.nan_to_num()) @ v"
            ),
        },
    ),
    Misconception(
        name="queries_of_padding_blanked",
        price="edge",
        sentence=(
            "Where there are as many queries as keys, you set what the queries of padding find to "
            "zero. The mask says who may be looked at, not who looks."
        ),
        replaced={
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        found = self.dropout(torch.softmax(scores, dim=-1)) @ v\n"
                "        if padding_mask is not None and q.shape[2] == k.shape[2]:\n"
                "            found = found * padding_mask[:, None, :, None]\n"
                "        return found"
            )
        },
    ),
    Misconception(
        name="softmax_over_queries_and_mask_after",
        price="mathematics",
        sentence=(
            "Your softmax runs over the queries, and padding loses its weights only afterwards. "
            "Each query shares its weight among the keys, and padding has to leave before that."
        ),
        replaced={
            MASKING: "",
            "        return self.dropout(torch.softmax(scores, dim=-1)) @ v": (
                "        weights = torch.softmax(scores, dim=-2)\n"
                "        if padding_mask is not None:\n"
                "            weights = weights * padding_mask[:, None, None]\n"
                "        return self.dropout(weights) @ v"
            ),
        },
    ),
    Misconception(
        name="later_keys_hidden_without_a_mask",
        sentence=(
            "Where no mask is given you hide the later keys, as a model does that writes word by "
            "word. No mask means that every query may look at every key."
        ),
        replaced={
            "        return self.dropout(": (
                "        if padding_mask is None:\n"
                "            length, size = scores.shape[-2:]\n"
                "            seen = torch.ones_like(scores, dtype=torch.bool).tril(size - length)\n"
                "            scores = scores.masked_fill(~seen, -math.inf)\n"
                "        return self.dropout("
            )
        },
    ),
    Misconception(
        name="queries_and_keys_normalised",
        price="mathematics",
        sentence=(
            "You bring queries and keys to one length before they meet, as some newer models do. "
            "In the formula long vectors count more than short ones."
        ),
        replaced={
            "        scores = q @": (
                "        q = nn.functional.normalize(q, dim=-1) * q.shape[-1] ** 0.5\n"
                "        k = nn.functional.normalize(k, dim=-1) * k.shape[-1] ** 0.5\n"
                "        scores = q @"
            ),
        },
    ),
    Misconception(
        name="rows_hidden_by_a_low_number",
        price="mathematics",
        sentence=(
            "Your mask gives a low score to rows, that is to queries, and a row of equal scores "
            "looks at all keys alike, padding too. See which axis of the scores counts the keys."
        ),
        replaced={
            "~padding_mask[:, None, None], -math.inf": "~padding_mask[:, None, :, None], -1e9",
        },
    ),
    Misconception(
        name="mask_of_the_first_sequence",
        price="mathematics",
        sentence=(
            "You hide in every sequence what the mask of the first one hides. Each sequence has "
            "a row of its own in the mask."
        ),
        replaced={
            "~padding_mask[:, None, None]": "~padding_mask[:1, None, None]",
        },
    ),
    Misconception(
        name="rate_taken_for_the_share_that_stays",
        sentence="You take the rate for the share that stays. It is the share that is dropped.",
        code="""class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.p = dropout

    def forward(self, q, k, v, padding_mask=None):
        s = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])
        if padding_mask is not None:
            s = s.masked_fill(~padding_mask[:, None, None, :], float("-inf"))
        w = s.softmax(dim=-1)
        if self.training and self.p > 0:
            w = w * (torch.rand_like(w) < self.p).to(w.dtype) / self.p
        return w @ v
""",
        price="edge",
    ),
    Misconception(
        name="masks_of_other_sequences",
        sentence=(
            "The masks, repeated for the heads, stand in another order than the heads of the "
            "batch: heads get the masks of other sequences."
        ),
        code="""class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, padding_mask=None):
        b, h, lq, d = q.shape
        lk = k.shape[2]
        scores = (
            torch.bmm(q.reshape(b * h, lq, d), k.reshape(b * h, lk, d).transpose(1, 2)) / d**0.5
        )
        if padding_mask is not None:
            scores = scores.masked_fill(~padding_mask.repeat(h, 1)[:, None, :], float("-inf"))
        out = torch.bmm(self.dropout(scores.softmax(-1)), v.reshape(b * h, lk, -1))
        return out.reshape(b, h, lq, -1)
""",
        price="mathematics",
    ),
    Misconception(
        name="scores_clamped",
        sentence=(
            "You limit the scores to a range before the softmax. Large scores have to stay as far"
            " apart as they are: the softmax itself keeps them finite."
        ),
        code='''class DotProductAttention(nn.Module):
    """Scaled dot-product attention of several heads, which leaves out padding."""

    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, q, k, v, padding_mask=None):
        scores = q.matmul(k.transpose(2, 3)).div(math.sqrt(q.shape[3]))
        e = scores.clamp(-50, 50).exp()
        if padding_mask is not None:
            e = e * padding_mask[:, None, None, :]
        a = e / e.sum(dim=-1, keepdim=True)
        return self.dropout(a).matmul(v)
''',
    ),
    Misconception(
        name="dropped_and_summed_to_one",
        sentence=(
            "After dropout you make the weights of a row sum to 1 again. Dropout divides what "
            "stays by the share that stays, and the sum is 1 on average."
        ),
        code='''class DotProductAttention(nn.Module):
    """Scaled dot-product attention of several heads, which leaves out padding."""

    def __init__(self, dropout):
        super().__init__()
        self.p = dropout

    def forward(self, q, k, v, padding_mask=None):
        scores = (q / math.sqrt(q.shape[-1])) @ k.transpose(-2, -1)
        if padding_mask is not None:
            scores = scores.masked_fill(padding_mask.logical_not()[:, None, None, :], -math.inf)
        weights = scores.softmax(dim=-1)
        if self.training and self.p > 0:
            keep = torch.rand_like(weights) >= self.p
            weights = weights * keep
            weights = weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)
        return weights @ v
''',
        price="edge",
    ),
    Misconception(
        name="zero_taken_for_no_rate",
        sentence="A rate of 0 becomes another one in your code. It is a rate like any other.",
        code='''class DotProductAttention(nn.Module):
    """Scaled dot-product attention of several heads, which leaves out padding."""

    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout or 0.1)

    def forward(self, q, k, v, padding_mask=None):
        weights = torch.einsum("bhqd,bhkd->bhqk", q, k) / math.sqrt(q.shape[-1])
        if padding_mask is not None:
            weights = weights.masked_fill(~padding_mask[:, None, None, :], float("-inf"))
        weights = self.dropout(weights.softmax(-1))
        return torch.einsum("bhqk,bhkd->bhqd", weights, v)
''',
        price="edge",
    ),
    Misconception(
        name="rate_of_keeping",
        sentence=(
            "You take the dropout for the share that is kept. It is the share that is dropped."
        ),
        code="""class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        keep_prob = dropout
        self.drop = nn.Dropout(p=1.0 - keep_prob)

    def forward(self, q, k, v, padding_mask=None):
        logits = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
        if padding_mask is not None:
            logits = torch.where(padding_mask[:, None, None], logits, -torch.inf)
        return torch.einsum("bhqk,bhke->bhqe", self.drop(logits.softmax(-1)), v)
""",
        price="edge",
    ),
]
