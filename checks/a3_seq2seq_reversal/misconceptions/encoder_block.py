"""Wrong answers to question 6 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="pre_norm",
        sentence=(
            "You normalise the input of each part, not the sum after it: that is pre-norm. "
            "This course builds post-norm, where the norm comes last."
        ),
        replaced={
            (
                "attended, _ = self.attention(x, x, x, mask)\n"
                "        x = self.attention_norm(x + attended)\n"
                "        return self.feed_forward_norm(x + self.feed_forward(x))"
            ): (
                "h = self.attention_norm(x)\n"
                "        x = x + self.attention(h, h, h, mask)[0]\n"
                "        return x + self.feed_forward(self.feed_forward_norm(x))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="no_residual_around_attention",
        sentence=(
            "You replace the input by what attention makes of it, without adding the two. "
            "The residual connection is missing in the first half."
        ),
        replaced={
            "self.attention_norm(x + attended)": "self.attention_norm(attended)",
        },
        price="mathematics",
    ),
    Misconception(
        name="no_residual_around_feed_forward",
        sentence=(
            "You replace the vectors by what the feed-forward network makes of them, "
            "without adding the two. The residual connection is missing in the second half."
        ),
        replaced={
            "self.feed_forward_norm(x + self.feed_forward(x))": (
                "self.feed_forward_norm(self.feed_forward(x))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="residual_from_the_start",
        sentence=(
            "Your second residual adds the input of the whole block, not that of the "
            "feed-forward network. Look at what h stands for in the formula."
        ),
        replaced={
            (
                "x = self.attention_norm(x + attended)\n"
                "        return self.feed_forward_norm(x + self.feed_forward(x))"
            ): (
                "h = self.attention_norm(x + attended)\n"
                "        return self.feed_forward_norm(x + self.feed_forward(h))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_forgotten",
        sentence=(
            "Your block takes a mask and does not hand it on to its attention, or not always, so "
            "padding is looked at. Look at the last argument of the attention."
        ),
        replaced={
            "self.attention(x, x, x, mask)": "self.attention(x, x, x)",
        },
        price="mathematics",
    ),
    Misconception(
        name="one_norm_for_both",
        sentence=(
            "You use the same norm twice, so both halves have to share its scale and shift. "
            "The formula has two of them."
        ),
        replaced={
            "self.feed_forward_norm = nn.LayerNorm(d_model)": (
                "self.feed_forward_norm = self.attention_norm"
            ),
        },
        price="learning",
    ),
    Misconception(
        name="no_activation",
        sentence=(
            "Your feed-forward network has no ReLU between its two layers, and two linear "
            "layers without one are no more than a single layer. Look at the formula of FF."
        ),
        replaced={
            "nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)": (
                "nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="returns_the_weights_too",
        sentence=(
            "Your block returns a pair where one tensor is asked for. The next block could "
            "not take it as its input."
        ),
        replaced={
            "return self.feed_forward_norm(x + self.feed_forward(x))": (
                "return self.feed_forward_norm(x + self.feed_forward(x)), _"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="dropout_added",
        sentence=(
            "There is dropout in your block, so that it answers otherwise each time in "
            "training. The question asks for none."
        ),
        replaced={
            "nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)": (
                "nn.Linear(d_model, d_ff), nn.ReLU(), nn.Dropout(0.1), nn.Linear(d_ff, d_model)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="norm_inside_the_residual",
        price="mathematics",
        sentence=(
            "You normalise what each part returns, and add x to that. The norm belongs around "
            "the sum: compare the brackets in the formula."
        ),
        replaced={
            "self.attention_norm(x + attended)": "x + self.attention_norm(attended)",
            ("self.feed_forward_norm(x + self.feed_forward(x))"): (
                "x + self.feed_forward_norm(self.feed_forward(x))"
            ),
        },
    ),
    Misconception(
        name="empty_mask_taken_for_none",
        sentence=(
            "You leave a mask that hides everything out, so that everything is seen. A source of "
            "nothing but padding is hidden, too."
        ),
        replaced={
            "        attended, _ =": (
                "        if mask is not None and not mask.any():\n"
                "            mask = None\n"
                "        attended, _ ="
            )
        },
    ),
    Misconception(
        name="hidden_positions_set_to_zero",
        sentence=(
            "You set the output to zero at positions that the mask hides. It says where attention "
            "may go; the formula holds at every position."
        ),
        replaced={
            "        return self.feed_forward_norm(x + self.feed_forward(x))\n": (
                "        x = self.feed_forward_norm(x + self.feed_forward(x))\n"
                "        if mask is not None and mask.shape[-2] == 1:\n"
                "            x = x * mask[:, 0, 0, :, None]\n"
                "        return x\n"
            )
        },
    ),
    Misconception(
        name="gelu_for_relu",
        sentence=(
            "Your feed-forward network uses GELU, as many later models do. Compare its function "
            "with the one in the formula of FF."
        ),
        replaced={"nn.ReLU()": "nn.GELU()"},
        price="mathematics",
    ),
    Misconception(
        name="mask_in_training_alone",
        sentence=(
            "Your block uses its mask in training alone. What is padding stays padding when the "
            "model is asked."
        ),
        replaced={"(x, x, x, mask)": "(x, x, x, mask if self.training else None)"},
    ),
    Misconception(
        name="relu_at_the_end",
        sentence=(
            "You put what the second linear layer gives through a ReLU as well, so that it can "
            "never be negative. In the formula of FF it stands between the two layers."
        ),
        replaced={
            "nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model)": (
                "nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model), nn.ReLU()"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="masks_of_fewer_axes_ignored",
        sentence=(
            "Your block uses masks of four axes alone, and one that is the same for all sequences "
            "has fewer. Hand on whatever mask comes in."
        ),
        replaced={
            "        attended, _ =": (
                "        if mask is not None and mask.dim() < 4:\n"
                "            mask = None\n"
                "        attended, _ ="
            )
        },
    ),
    Misconception(
        name="norm_over_the_sequence",
        sentence=(
            "Your norms take mean and deviation over all positions of a sequence at once. Each "
            "vector is normalised by itself."
        ),
        replaced={
            "        x = self.attention_norm(x + attended)\n"
            "        return self.feed_forward_norm(x + self.feed_forward(x))": (
                "        def normed(x, norm):\n"
                "            whole = nn.functional.layer_norm(x, x.shape[1:])\n"
                "            return whole * norm.weight + norm.bias\n"
                "\n"
                "        x = normed(x + attended, self.attention_norm)\n"
                "        return normed(x + self.feed_forward(x), self.feed_forward_norm)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="pre_norm_and_a_norm_at_the_end",
        sentence=(
            "You normalise what goes into attention and not the sum after it; only the last sum "
            "has its norm in the right place. In this course both norms come after an addition."
        ),
        replaced={
            (
                "        attended, _ = self.attention(x, x, x, mask)\n"
                "        x = self.attention_norm(x + attended)\n"
            ): (
                "        normed = self.attention_norm(x)\n"
                "        x = x + self.attention(normed, normed, normed, mask)[0]\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="epsilon_of_another_library",
        sentence="Your layers add another small number than the default of `nn.LayerNorm`.",
        code='''class EncoderBlock(nn.Module):
    """Self-attention and a feed-forward network, each with a residual and a norm after it."""

    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.att = MultiHeadAttention(d_model, num_heads)
        self.ffn = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.layernorm1 = nn.LayerNorm(d_model, eps=1e-3)
        self.layernorm2 = nn.LayerNorm(d_model, eps=1e-3)

    def forward(self, x, mask=None):
        attn_output, _ = self.att(x, x, x, mask)
        out1 = self.layernorm1(x + attn_output)
        return self.layernorm2(out1 + self.ffn(out1))
''',
        price="mathematics",
    ),
    Misconception(
        name="zeros_taken_for_padding",
        sentence=(
            "Where no mask is given you hide vectors that are zero. Without a mask nothing is "
            "hidden."
        ),
        code="""class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        if mask is None:
            mask = (x.abs().sum(dim=-1) > 0)[:, None, None, :]
        h = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(h + self.ff(h))
""",
    ),
    Misconception(
        name="map_beside_in_evaluation",
        sentence=(
            "In evaluation you return the attention beside the output. What comes back is the "
            "same in both modes."
        ),
        code="""class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        a, weights = self.attention(x, x, x, mask)
        h = self.norm1(x + a)
        y = self.norm2(h + self.ff(h))
        return y if self.training else (y, weights)
""",
    ),
    Misconception(
        name="pre_norm_around_feed_forward",
        sentence=(
            "Around the feed-forward network you norm what goes in. Here the norm comes last: "
            "first the input is added to what it gives."
        ),
        replaced={
            "self.feed_forward_norm(x + self.feed_forward(x))": (
                "x + self.feed_forward(self.feed_forward_norm(x))"
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
            "self.attention_norm(x + attended)": "x + self.attention_norm(attended)",
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
            "self.feed_forward_norm(x + self.feed_forward(x))": (
                "x + self.feed_forward_norm(self.feed_forward(x))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="norms_by_the_unbiased_deviation",
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


class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.first = nn.Linear(d_model, d_ff)
        self.second = nn.Linear(d_ff, d_model)
        self.norm1 = Norm(d_model)
        self.norm2 = Norm(d_model)

    def forward(self, x, mask=None):
        x = self.norm1(x + self.attention(x, x, x, mask)[0])
        return self.norm2(x + self.second(self.first(x).relu()))
""",
        price="mathematics",
    ),
    Misconception(
        name="feed_forward_reads_the_input",
        sentence=(
            "Your feed-forward network reads the input of the block, so that it knows nothing of "
            "what attention has found. It reads what the first norm gives."
        ),
        replaced={
            "x = self.attention_norm(x + attended)": "h = self.attention_norm(x + attended)",
            "x + self.feed_forward(x)": "h + self.feed_forward(x)",
        },
        price="mathematics",
    ),
    Misconception(
        name="feed_forward_beside_attention",
        sentence=(
            "Your two halves stand beside each other: both read the input of the block, and both "
            "are added to it. The second one works on what the first has made."
        ),
        code="""class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attend = MultiHeadAttention(d_model, num_heads)
        self.inner, self.outer = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norms = nn.ModuleList(nn.LayerNorm(d_model) for _ in range(2))

    def forward(self, x, mask=None):
        found = self.attend(x, x, x, mask)[0]
        made = self.outer(torch.relu(self.inner(x)))
        return self.norms[1](self.norms[0](x + found) + self.norms[0](x + made))
""",
        price="mathematics",
    ),
    Misconception(
        name="feed_forward_reads_attention_alone",
        sentence=(
            "Your feed-forward network reads what attention gives, before that is added to the "
            "input and normed. It reads what the first norm gives."
        ),
        replaced={
            "x = self.attention_norm(x + attended)": "h = self.attention_norm(x + attended)",
            "x + self.feed_forward(x)": "h + self.feed_forward(attended)",
        },
        price="mathematics",
    ),
    Misconception(
        name="feed_forward_reads_the_sum_without_its_norm",
        sentence=(
            "Your feed-forward network reads the sum of input and attention as it is, and the "
            "norm of that is only added. What the first norm gives goes both ways."
        ),
        replaced={
            "x = self.attention_norm(x + attended)": "h = self.attention_norm(x + attended)",
            "x + self.feed_forward(x)": "h + self.feed_forward(x + attended)",
        },
        price="mathematics",
    ),
    Misconception(
        name="attention_unused",
        sentence=(
            "What attention gives is lost: only the input and what the feed-forward network makes "
            "of it reach the second norm."
        ),
        code="""class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.looks = MultiHeadAttention(d_model, num_heads)
        self.thinks = nn.Sequential(nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))
        self.first, self.second = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        looked, _ = self.looks(x, x, x, mask)
        self.first(x + looked)
        return self.second(x + self.thinks(x))
""",
        price="mathematics",
    ),
    Misconception(
        name="residual_before_the_first_norm",
        sentence=(
            "Your second residual adds the sum of input and attention as it is before the first "
            "norm. What the feed-forward network reads is what is added to it."
        ),
        replaced={
            "x = self.attention_norm(x + attended)": (
                "x = x + attended\n        h = self.attention_norm(x)"
            ),
            "self.feed_forward(x)": "self.feed_forward(h)",
        },
        price="mathematics",
    ),
    Misconception(
        name="one_norm_around_both",
        sentence=(
            "You add attention and the feed-forward network to the input side by side, with a "
            "single norm around them. The first norm stands between the two."
        ),
        code="""class EncoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.looks = MultiHeadAttention(d_model, num_heads)
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm, self.norm_at_last = nn.LayerNorm(d_model), nn.LayerNorm(d_model)

    def forward(self, x, mask=None):
        parts = [x, self.looks(x, x, x, mask)[0], self.down(torch.relu(self.up(x)))]
        return self.norm_at_last(sum(parts))
""",
        price="mathematics",
    ),
]
