"""Another activation, or the dropout elsewhere."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="relu_instead_of_gelu",
        price="mathematics",
        sentence=(
            "Your activation is a ReLU, which cuts everything below 0. The question asks for its "
            "soft relative."
        ),
        replaced={"nn.functional.gelu": "nn.functional.relu"},
    ),
    Misconception(
        name="approximate_gelu",
        price="mathematics",
        sentence=(
            "You use the approximation of GELU by a hyperbolic tangent. The question asks for the "
            "exact one, which is what PyTorch does by default."
        ),
        replaced={"gelu(self.linear1(x))": 'gelu(self.linear1(x), approximate="tanh")'},
    ),
    Misconception(
        name="no_activation",
        price="mathematics",
        sentence=(
            "You left the activation out, so two linear layers follow each other and are no more "
            "than one. Read the formula from the inside out."
        ),
        replaced={"nn.functional.gelu(self.linear1(x))": "self.linear1(x)"},
    ),
    Misconception(
        name="dropout_at_the_end",
        price="edge",
        sentence=(
            "You drop numbers of the output. Dropout comes between the two layers here, on the "
            "hidden one."
        ),
        replaced={
            "self.linear2(self.dropout(nn.functional.gelu(self.linear1(x))))": (
                "self.dropout(self.linear2(nn.functional.gelu(self.linear1(x))))"
            )
        },
    ),
    Misconception(
        name="no_dropout",
        price="edge",
        sentence=(
            "Your network drops nothing in training. The question wants dropout between its two "
            "layers."
        ),
        replaced={
            "self.dropout(nn.functional.gelu(self.linear1(x)))": (
                "nn.functional.gelu(self.linear1(x))"
            )
        },
    ),
    Misconception(
        name="dropout_with_a_fixed_share",
        price="edge",
        sentence="Your dropout has a share of its own. The module is told with which one to drop.",
        replaced={"nn.Dropout(dropout)": "nn.Dropout(0.1)"},
    ),
    Misconception(
        name="dropout_before_the_activation",
        price="edge",
        sentence=(
            "You drop before the GELU, which then sees numbers that were made larger. What comes "
            "out of the GELU is dropped."
        ),
        replaced={
            ("self.dropout(nn.functional.gelu(self.linear1(x)))"): (
                "nn.functional.gelu(self.dropout(self.linear1(x)))"
            ),
        },
    ),
    Misconception(
        name="hidden_width_fixed",
        sentence=(
            "Where `d_ff` is large, your hidden layer has another size. `d_ff` says how wide it is."
        ),
        replaced={
            "        self.linear1 = nn.Linear(d_model, d_ff)\n": (
                "        d_ff = min(d_ff, 4 * d_model)\n"
                "        self.linear1 = nn.Linear(d_model, d_ff)\n"
            )
        },
    ),
    Misconception(
        name="one_pattern_for_all_positions",
        price="edge",
        sentence=(
            "You drop the same numbers of the hidden layer at all positions. Dropout decides for "
            "every number by itself."
        ),
        replaced={
            "return self.linear2(self.dropout(nn.functional.gelu(self.linear1(x))))": (
                "hidden = nn.functional.gelu(self.linear1(x))\n"
                "        kept = self.dropout(torch.ones_like(hidden[:, :1]))\n"
                "        return self.linear2(hidden * kept)"
            ),
        },
    ),
    Misconception(
        name="gelu_by_a_sigmoid",
        price="mathematics",
        sentence=(
            "You use the approximation of GELU by a sigmoid. The question asks for the exact one, "
            "which is what PyTorch does by default."
        ),
        replaced={
            "return self.linear2(self.dropout(nn.functional.gelu(self.linear1(x))))": (
                "hidden = self.linear1(x)\n"
                "        hidden = hidden * torch.sigmoid(1.702 * hidden)\n"
                "        return self.linear2(self.dropout(hidden))"
            ),
        },
    ),
    Misconception(
        name="dropout_at_the_end_too",
        price="edge",
        sentence=(
            "In training you drop numbers of the output as well. The question has one dropout, on "
            "the hidden layer; what comes after the network is the encoder layer's business."
        ),
        replaced={
            "self.linear2(self.dropout(nn.functional.gelu(self.linear1(x))))": (
                "self.dropout(self.linear2(self.dropout(nn.functional.gelu(self.linear1(x)))))"
            ),
        },
    ),
    Misconception(
        name="input_added",
        price="mathematics",
        sentence=(
            "You add the input to what the network makes of it. The residual connection belongs "
            "to the encoder layer, which has this network as a part."
        ),
        replaced={"return self.linear2": "return x + self.linear2"},
    ),
    Misconception(
        name="activation_at_the_end",
        price="mathematics",
        sentence=(
            "You put what the second layer gives through a GELU as well. Read the formula from the "
            "inside out: what is done last?"
        ),
        replaced={
            "self.linear2(self.dropout(nn.functional.gelu(self.linear1(x))))": (
                "nn.functional.gelu(\n"
                "            self.linear2(self.dropout(nn.functional.gelu(self.linear1(x))))\n"
                "        )"
            ),
        },
    ),
    Misconception(
        name="dropped_far_below_zero",
        price="edge",
        sentence=(
            "You drop by alpha dropout, which sets numbers to a negative one and moves the others. "
            "Dropout sets them to 0."
        ),
        replaced={"nn.Dropout(dropout)": "nn.AlphaDropout(dropout)"},
    ),
    Misconception(
        name="what_stays_not_divided",
        price="edge",
        sentence=(
            "You drop numbers of the hidden layer, and leave the others as they are. Dropout "
            "divides them by the share that stays, so that their sum is about the same."
        ),
        replaced={
            "self.dropout(nn.functional.gelu(self.linear1(x)))": (
                "torch.where(self.dropout(torch.ones_like(self.linear1(x))) > 0, "
                "nn.functional.gelu(self.linear1(x)), 0)"
            )
        },
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
        sentence=(
            "You take `dropout` for the share that is kept. It is the one that is dropped, as it "
            "is for PyTorch."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout(1 - dropout)"},
        price="edge",
    ),
    Misconception(
        name="whole_positions_dropped",
        sentence=(
            "You drop the hidden layer of whole positions at once. Dropout decides for every "
            "number by itself: its relatives with a number in their names take whole channels."
        ),
        replaced={"nn.Dropout(dropout)": "nn.Dropout1d(dropout)"},
        price="edge",
    ),
    Misconception(
        name="norm_inside",
        price="mathematics",
        sentence=(
            "You normalise the hidden layer. The formula has no norm: those of the model stand "
            "around this network."
        ),
        replaced={
            "return self.linear2(self.dropout(nn.functional.gelu(self.linear1(x))))": (
                "hidden = nn.functional.gelu(self.linear1(x))\n"
                "        hidden = nn.functional.layer_norm(hidden, hidden.shape[-1:])\n"
                "        return self.linear2(self.dropout(hidden))"
            ),
        },
    ),
    Misconception(
        name="dropout_of_pytorchs_share",
        price="edge",
        sentence=(
            "Your dropout has the share that PyTorch takes when it is told none. The module is "
            "told with which one to drop."
        ),
        replaced={
            "nn.Dropout(dropout)": "nn.Dropout()",
        },
    ),
    Misconception(
        name="erf_without_the_root",
        price="mathematics",
        sentence=(
            "You compute GELU by hand, and the error function gets its argument as it is. How is "
            "the error function told to belong to a normal distribution of variance 1?"
        ),
        replaced={
            "nn.functional.gelu(self.linear1(x))": "self._bent(self.linear1(x))",
            "    def forward(self, x):": (
                "    def _bent(self, z):\n"
                "        return z * (1 + torch.erf(z)) / 2\n"
                "\n"
                "    def forward(self, x):"
            ),
        },
    ),
    Misconception(
        name="input_normalised",
        price="mathematics",
        sentence=(
            "You normalise the input of the network. The formula has no norm: those of the model "
            "stand around this network."
        ),
        replaced={
            "self.linear1(x)": "self.linear1(nn.functional.layer_norm(x, x.shape[-1:]))",
        },
    ),
]
