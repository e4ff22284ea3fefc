"""Known wrong answers to `encoder_block`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="pre_norm",
        sentence=(
            "You normalise what goes into attention and into the MLP (pre-norm). Here the norm "
            "comes after the addition (post-norm)."
        ),
        replaced={
            "self.attention(x, mask, return_attention=True)": (
                "self.attention(self.attention_norm(x), mask, return_attention=True)"
            ),
            "x = self.attention_norm(x + self.dropout(attended))": "x = x + self.dropout(attended)",
            "x = self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "x = x + self.dropout(self.mlp(self.mlp_norm(x)))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="norm_inside_the_residual",
        sentence=(
            "You normalise what a sub-layer made and add the input after that. The norm belongs "
            "around the sum."
        ),
        replaced={
            "self.attention_norm(x + self.dropout(attended))": (
                "x + self.attention_norm(self.dropout(attended))"
            ),
            "self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "x + self.mlp_norm(self.dropout(self.mlp(x)))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="without_residuals",
        sentence=(
            "You leave out what came into each sub-layer, so that nothing but what attention and "
            "the MLP make goes on. Each of them is added to its input."
        ),
        replaced={
            "(x + self.dropout(attended))": "(self.dropout(attended))",
            "(x + self.dropout(self.mlp(x)))": "(self.dropout(self.mlp(x)))",
        },
        price="mathematics",
    ),
    Misconception(
        name="one_residual_only",
        sentence=(
            "There is a residual connection around attention and none around the MLP. Both "
            "sub-layers have one."
        ),
        replaced={"(x + self.dropout(self.mlp(x)))": "(self.dropout(self.mlp(x)))"},
        price="mathematics",
    ),
    Misconception(
        name="one_norm_for_both",
        sentence=(
            "You use one and the same norm in both places. A norm keeps a scale and a shift, and "
            "each place needs its own."
        ),
        replaced={
            "        self.mlp_norm = nn.LayerNorm(input_dim)\n": "",
            "self.mlp_norm(x": "self.attention_norm(x",
        },
        price="learning",
    ),
    Misconception(
        name="gelu_for_relu",
        sentence=(
            "Your MLP uses GELU, which is what many later models do. The formula above has another "
            "function there."
        ),
        replaced={"nn.ReLU()": "nn.GELU()"},
        price="mathematics",
    ),
    Misconception(
        name="no_dropout_in_the_mlp",
        sentence=(
            "Inside the MLP there is no dropout. The question names three places where it acts."
        ),
        replaced={"            nn.Dropout(dropout),\n": ""},
        price="edge",
    ),
    Misconception(
        name="no_dropout_after_attention",
        sentence=(
            "What attention returns is added without dropout. The question names three places "
            "where it acts."
        ),
        replaced={"self.dropout(attended)": "attended"},
        price="edge",
    ),
    Misconception(
        name="mask_not_passed_on",
        sentence=(
            "Your `forward` takes a mask and does not hand it on to attention, so that every "
            "position sees all others."
        ),
        replaced={"self.attention(x, mask, ": "self.attention(x, "},
        price="edge",
    ),
    Misconception(
        name="residual_from_the_start",
        sentence=(
            "Your second residual connection adds the input of the whole block. It goes around "
            "the MLP, so it adds what went into the MLP."
        ),
        replaced={
            "x = self.attention_norm(": "h = self.attention_norm(",
            "self.dropout(self.mlp(x))": "self.dropout(self.mlp(h))",
        },
        price="mathematics",
    ),
    Misconception(
        name="no_dropout_after_the_mlp",
        sentence=(
            "What the MLP returns is added without dropout. The question names three places "
            "where it acts."
        ),
        replaced={
            "self.dropout(self.mlp(x))": "self.mlp(x)",
        },
        price="edge",
    ),
    Misconception(
        name="relu_after_the_mlp",
        sentence=(
            "Your MLP ends with a ReLU, so that it can only add and never take away. In the "
            "formula the function stands between the two layers alone."
        ),
        replaced={
            ("            nn.Linear(dim_feedforward, input_dim),\n        )"): (
                "            nn.Linear(dim_feedforward, input_dim),\n"
                "            nn.ReLU(),\n"
                "        )"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="dropout_in_both_modes",
        sentence=(
            "Your dropout acts in evaluation as well. The function `dropout` has to be told "
            "whether the module is in training; the module `nn.Dropout` knows."
        ),
        replaced={
            "self.attention_norm(x + self.dropout(attended))": (
                "self.attention_norm(x + F.dropout(attended, self.dropout.p))"
            ),
            "self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "self.mlp_norm(x + F.dropout(self.mlp(x), self.dropout.p))"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="three_dropouts_in_both_modes",
        sentence=(
            "All three of your dropouts act in evaluation as well, so that the same input gets "
            "another answer each time. The function `dropout` does not know the mode of the "
            "module: it has to be told."
        ),
        replaced={
            "            nn.Linear(input_dim, dim_feedforward),\n"
            "            nn.Dropout(dropout),\n"
            "            nn.ReLU(),\n"
            "            nn.Linear(dim_feedforward, input_dim),\n"
            "        )": (
                "            nn.Linear(input_dim, dim_feedforward),\n"
                "            nn.ReLU(),\n"
                "            nn.Linear(dim_feedforward, input_dim),\n"
                "        )"
            ),
            "self.dropout = nn.Dropout(dropout)": "self.rate = dropout",
            "self.dropout(attended)": "F.dropout(attended, self.rate)",
            "        x = self.mlp_norm(x + self.dropout(self.mlp(x)))\n": (
                "        first, bend, second = self.mlp\n"
                "        made = second(bend(F.dropout(first(x), self.rate)))\n"
                "        x = self.mlp_norm(x + F.dropout(made, self.rate))\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="dropout_on_the_sums",
        sentence=(
            "Your dropout acts on the sums, so that it also takes away what the residual "
            "connections carry. It acts on what a sub-layer returns, before that is added."
        ),
        replaced={
            "(x + self.dropout(attended))": "(self.dropout(x + attended))",
            "(x + self.dropout(self.mlp(x)))": "(self.dropout(x + self.mlp(x)))",
        },
        price="edge",
    ),
    Misconception(
        name="map_of_a_call_without_the_mask",
        sentence=(
            "The attention that you return comes from another call, without the mask, so that it "
            "is not the one that made your output. One call gives both."
        ),
        replaced={
            "        attended, attention = self.attention(x, mask, return_attention=True)\n": (
                "        _, attention = self.attention(x, return_attention=True)\n"
                "        attended = self.attention(x, mask)\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="map_of_a_second_call",
        sentence=(
            "You call the attention twice, once for its values and once for its weights, so that "
            "no gradient can go from the output to the weights that you return. One call gives "
            "both."
        ),
        replaced={
            "        attended, attention = self.attention(x, mask, return_attention=True)\n": (
                "        _, attention = self.attention(x, mask, return_attention=True)\n"
                "        attended = self.attention(x, mask)\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="rate_inside_the_mlp_fixed",
        sentence=(
            "The dropout inside your MLP has a rate of its own, whatever rate the block is given, "
            "and drops numbers even where that is 0. All three places share one rate."
        ),
        replaced={
            "            nn.Dropout(dropout),\n": "            nn.Dropout(0.1),\n",
        },
        price="mathematics",
    ),
    Misconception(
        name="rate_taken_for_the_share_that_stays",
        sentence=(
            "You take the rate of the dropout for the share of the numbers that stay. It is the "
            "share that is set to zero."
        ),
        replaced={
            "self.dropout = nn.Dropout(dropout)": (
                "self.dropout = nn.Dropout(1 - dropout if dropout else 0.0)"
            )
        },
        price="edge",
    ),
    Misconception(
        name="dropout_after_the_norms",
        sentence=(
            "Your dropout acts on what the norms return. It acts on what a sub-layer returns, "
            "before that is added."
        ),
        replaced={
            "self.attention_norm(x + self.dropout(attended))": (
                "self.dropout(self.attention_norm(x + attended))"
            ),
            "self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "self.dropout(self.mlp_norm(x + self.mlp(x)))"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="mask_with_the_attention_alone",
        sentence=(
            "You hand on the mask only where the attention is asked for. It hides the same pairs "
            "whatever is returned."
        ),
        replaced={
            "        attended, attention = self.attention(x, mask, return_attention=True)\n": (
                "        own = mask if return_attention else None\n"
                "        attended, attention = self.attention(x, own, return_attention=True)\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="rate_ignored",
        sentence=(
            "All your dropouts have a rate of their own, whatever rate the block is given. See "
            "what your `__init__` does with it."
        ),
        replaced={
            "            nn.Dropout(dropout),\n": "            nn.Dropout(0.1),\n",
            "self.dropout = nn.Dropout(dropout)": "self.dropout = nn.Dropout(0.1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="norms_without_parameters",
        sentence=(
            "You normalise without the scale and the shift that each norm learns. Which modules of "
            "your block are made and never called?"
        ),
        replaced={
            "self.attention_norm(x + self.dropout(attended))": (
                "F.layer_norm(x + self.dropout(attended), x.shape[-1:])"
            ),
            "self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "F.layer_norm(x + self.dropout(self.mlp(x)), x.shape[-1:])"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="dropout_inside_the_mlp_in_both_modes",
        sentence=(
            "The dropout inside your MLP acts in evaluation as well, the others rightly do not. "
            "The function `dropout` does not know the mode of the module."
        ),
        replaced={
            "        x = self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "        inside = F.relu(F.dropout(self.mlp[0](x), self.dropout.p))\n"
                "        x = self.mlp_norm(x + self.dropout(self.mlp[3](inside)))"
            )
        },
        price="edge",
    ),
    Misconception(
        name="pre_norm_and_a_norm_at_the_end",
        sentence=(
            "You normalise what goes into attention and not the sum after it; only the last sum "
            "has its norm in the right place. Both norms come after an addition (post-norm)."
        ),
        replaced={
            (
                "        attended, attention = self.attention(x, mask, return_attention=True)\n"
                "        x = self.attention_norm(x + self.dropout(attended))\n"
            ): (
                "        z = self.attention_norm(x)\n"
                "        attended, attention = self.attention(z, mask, return_attention=True)\n"
                "        x = x + self.dropout(attended)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="function_told_neither_rate_nor_mode",
        sentence=(
            "Inside the MLP you call the function `dropout` with its input alone, so that it "
            "drops half of the numbers, in evaluation as well. It knows neither the rate nor the "
            "mode of the block."
        ),
        replaced={
            (
                "            nn.Dropout(dropout),\n            nn.ReLU(),\n"
            ): "            nn.ReLU(),\n",
            "self.mlp(x)": "self.mlp[2](F.dropout(self.mlp[:2](x)))",
        },
        price="mathematics",
    ),
    Misconception(
        name="whole_positions_dropped",
        sentence="You drop whole rows at a time. Dropout takes each number by itself.",
        code="""class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.attention = MultiheadAttention(input_dim, input_dim, num_heads)
        self.mlp = nn.Sequential(
            nn.Linear(input_dim, dim_feedforward),
            nn.Dropout(dropout),
            nn.ReLU(),
            nn.Linear(dim_feedforward, input_dim),
        )
        self.norm1 = nn.LayerNorm(input_dim)
        self.norm2 = nn.LayerNorm(input_dim)
        self.dropout = nn.Dropout1d(dropout)

    def forward(self, x, mask=None, return_attention=False):
        attended, attention = self.attention(x, mask=mask, return_attention=True)
        x = self.norm1(x + self.dropout(attended))
        x = self.norm2(x + self.dropout(self.mlp(x)))
        return (x, attention) if return_attention else x
""",
        price="edge",
    ),
    Misconception(
        name="first_sum_dropped",
        sentence=(
            "Dropout acts on a sum. It acts on what attention made, and what is added to it stays"
            " whole."
        ),
        code="""class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.attention = MultiheadAttention(input_dim, input_dim, num_heads)
        self.mlp = nn.Sequential(
            nn.Linear(input_dim, dim_feedforward),
            nn.Dropout(dropout),
            nn.ReLU(),
            nn.Linear(dim_feedforward, input_dim),
        )
        self.norm1 = nn.LayerNorm(input_dim)
        self.norm2 = nn.LayerNorm(input_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None, return_attention=False):
        attended, attention = self.attention(x, mask, True)
        x = self.norm1(self.dropout(x + attended))
        x = self.norm2(x + self.dropout(self.mlp(x)))
        return (x, attention) if return_attention else x
""",
        price="edge",
    ),
    Misconception(
        name="norm_over_positions",
        sentence=(
            "Your norm takes its mean over the positions, too. It norms each vector by itself."
        ),
        code="""class EncoderBlock(nn.Module):
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.self_attn = MultiheadAttention(input_dim, input_dim, num_heads)
        self.lin1 = nn.Linear(input_dim, dim_feedforward)
        self.lin2 = nn.Linear(dim_feedforward, input_dim)
        self.norm1 = nn.LayerNorm(input_dim)
        self.norm2 = nn.LayerNorm(input_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None, return_attention=False):
        attn_out, attention = self.self_attn(x, mask=mask, return_attention=True)
        x = self.norm1(x + self.dropout(attn_out))
        hidden = self.lin2(torch.relu(self.dropout(self.lin1(x))))
        x = x + self.dropout(hidden)
        x = F.layer_norm(x, x.shape[-2:]) * self.norm2.weight + self.norm2.bias
        return (x, attention) if return_attention else x
""",
        price="mathematics",
    ),
    Misconception(
        name="pre_norm_around_mlp",
        sentence=(
            "Around the MLP you norm what goes in. Here the norm comes last: first the input is "
            "added to what it gives."
        ),
        replaced={
            "self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "x + self.dropout(self.mlp(self.mlp_norm(x)))"
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
            "self.attention_norm(x + self.dropout(attended))": (
                "x + self.attention_norm(self.dropout(attended))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="normalises_mlp_before_adding",
        sentence=(
            "You norm what the MLP gives, and then add its input. The sum of both is normed."
        ),
        replaced={
            "self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "x + self.mlp_norm(self.dropout(self.mlp(x)))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_lost_where_attention_is_asked",
        sentence=(
            "Where the attention is asked for you forget the mask, for the output, too. Both "
            "calls compute the same; one of them tells more."
        ),
        replaced={
            "self.attention(x, mask, return_attention=True)": (
                "self.attention(\n"
                "            x, None if return_attention else mask, return_attention=True\n"
                "        )"
            ),
        },
        price="edge",
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
    def __init__(self, input_dim, num_heads, dim_feedforward, dropout=0.0):
        super().__init__()
        self.attend = MultiheadAttention(input_dim, input_dim, num_heads)
        self.inside = nn.Linear(input_dim, dim_feedforward)
        self.outside = nn.Linear(dim_feedforward, input_dim)
        self.norm1 = Norm(input_dim)
        self.norm2 = Norm(input_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None, return_attention=False):
        found, attention = self.attend(x, mask, return_attention=True)
        x = self.norm1(x + self.drop(found))
        hidden = torch.relu(self.drop(self.inside(x)))
        x = self.norm2(x + self.drop(self.outside(hidden)))
        return (x, attention) if return_attention else x
""",
        price="mathematics",
    ),
    Misconception(
        name="pre_norm_around_mlp_and_a_norm_at_the_end",
        sentence=(
            "You norm in front of the MLP, and once more at the very end with the first norm. Each "
            "norm comes after the sum that it belongs to."
        ),
        replaced={
            "x = self.mlp_norm(x + self.dropout(self.mlp(x)))": (
                "x = x + self.dropout(self.mlp(self.mlp_norm(x)))\n"
                "        x = self.attention_norm(x)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="side_by_side_with_one_norm",
        sentence=(
            "Attention and MLP both work on the input of the block, and one norm stands "
            "around their sum. Here the MLP works on what came out of the first half, "
            "which has a norm of its own."
        ),
        replaced={
            (
                "        x = self.attention_norm(x + self.dropout(attended))\n"
                "        x = self.mlp_norm(x + self.dropout(self.mlp(x)))"
            ): (
                "        x = self.mlp_norm(x + self.dropout(attended) + self.dropout(self.mlp(x)))"
            ),
        },
        price="mathematics",
    ),
]
