"""Known wrong answers to `transformer_predictor`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="positions_always_on",
        sentence=(
            "Your model adds the positions always, whatever `add_positional_encoding` says. "
            "Follow the argument to the place where it should decide."
        ),
        replaced={"self.positions(x) if add_positional_encoding else x": "self.positions(x)"},
        price="edge",
    ),
    Misconception(
        name="positions_forgotten",
        sentence=(
            "Your model never adds the positions, so that a sequence is a bag to it. Nothing could "
            "be reversed that way."
        ),
        replaced={"self.positions(x) if add_positional_encoding else x": "x"},
        price="mathematics",
    ),
    Misconception(
        name="maps_always_with_positions",
        sentence=(
            "In `get_attention_maps` the positions are added whatever the argument says; only "
            "`forward` heeds it. Both begin alike."
        ),
        replaced={
            "        x = self._embedded(x, add_positional_encoding)\n        attention_maps": (
                "        x = self._embedded(x, True)\n        attention_maps"
            )
        },
        price="edge",
    ),
    Misconception(
        name="one_answer_for_the_sequence",
        sentence=(
            "You take the mean over the positions before the output net, so that there is one "
            "answer for the whole sequence. This model answers at each position."
        ),
        replaced={
            "return self.output_net(self.encoder(x, mask))": (
                "return self.output_net(self.encoder(x, mask).mean(dim=1))"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="softmax_at_the_end",
        sentence=(
            "You return probabilities. The cross-entropy of question 8 applies the softmax itself "
            "and wants scores."
        ),
        replaced={
            "return self.output_net(self.encoder(x, mask))": (
                "return torch.softmax(self.output_net(self.encoder(x, mask)), dim=-1)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="narrow_feed_forward",
        sentence=(
            "The MLPs in your blocks are as wide as the model. See the width that the question "
            "gives."
        ),
        replaced={"dim_feedforward=2 * model_dim": "dim_feedforward=model_dim"},
        price="mathematics",
    ),
    Misconception(
        name="no_norm_in_the_output_net",
        sentence="Your output net has no LayerNorm between its two linear layers.",
        replaced={"            nn.LayerNorm(model_dim),\n": ""},
        price="mathematics",
    ),
    Misconception(
        name="input_dropout_unused",
        sentence=(
            "The input net drops out at the rate of the blocks and ignores `input_dropout`. There "
            "are two rates, and each has its place."
        ),
        replaced={"nn.Dropout(input_dropout)": "nn.Dropout(dropout)"},
        price="edge",
    ),
    Misconception(
        name="mask_not_passed_on",
        sentence="The mask does not reach the encoder in `forward`, so that nothing is hidden.",
        replaced={"self.output_net(self.encoder(x, mask))": "self.output_net(self.encoder(x))"},
        price="edge",
    ),
    Misconception(
        name="dropout_not_handed_on",
        sentence=(
            "Your `dropout` never reaches the blocks of the encoder, which stay without. See "
            "the list of parts."
        ),
        replaced={
            "            dropout=dropout,\n": "",
        },
        price="edge",
    ),
    Misconception(
        name="dropout_rates_exchanged",
        sentence=(
            "The two rates of dropout have changed places: the input net drops with that of the "
            "output net, and the other way round."
        ),
        replaced={
            "nn.Dropout(input_dropout)": "nn.Dropout(dropout)",
            ("            nn.Dropout(dropout),\n            nn.Linear(model_dim, num_classes)"): (
                "            nn.Dropout(input_dropout),\n"
                "            nn.Linear(model_dim, num_classes)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="norm_after_relu",
        sentence=(
            "Your output net normalises after the ReLU. In the formula the norm comes before it."
        ),
        replaced={
            ("            nn.LayerNorm(model_dim),\n            nn.ReLU(),"): (
                "            nn.ReLU(),\n            nn.LayerNorm(model_dim),"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="input_dropout_in_evaluation",
        sentence=(
            "Your dropout of the input acts in evaluation mode, too. A function of torch does not "
            "know the mode of your module unless you tell it."
        ),
        replaced={
            "nn.Sequential(nn.Dropout(input_dropout), nn.Linear(input_dim, model_dim))": (
                "nn.Linear(input_dim, model_dim)\n        self.input_dropout = input_dropout"
            ),
            "        x = self.input_net(x)\n": (
                "        x = self.input_net(F.dropout(x, self.input_dropout))\n"
            ),
        },
    ),
    Misconception(
        name="single_position_unmarked",
        sentence=(
            "You add no positional encoding to a sequence of one position. Its first row is not "
            "zero, and the model has learned with it."
        ),
        replaced={
            "if add_positional_encoding else x": (
                "if add_positional_encoding and x.shape[1] > 1 else x"
            )
        },
    ),
    Misconception(
        name="maps_cut_from_the_input",
        sentence=(
            "Before you ask for the maps, you embed the input without a graph, so that no gradient "
            "goes from maps and logits to `x` or to the input net."
        ),
        replaced={
            "        x = self._embedded(x, add_positional_encoding)\n        attention_maps, x =": (
                "        with torch.no_grad():\n"
                "            x = self._embedded(x, add_positional_encoding)\n"
                "        attention_maps, x ="
            )
        },
    ),
    Misconception(
        name="bag_without_a_mask",
        sentence=(
            "You hand on the mask only where positions are added. Without positions it still says "
            "who may look at whom."
        ),
        replaced={
            "self.encoder(x, mask))": "self.encoder(x, mask if add_positional_encoding else None))"
        },
    ),
    Misconception(
        name="switch_of_the_last_call",
        sentence=(
            "You remember at the module whether positions were added in the last call, and go by "
            "that. What a call is to do is said in its own arguments."
        ),
        replaced={
            "        x = self.input_net(x)\n": (
                "        x = self.input_net(x)\n"
                '        earlier = getattr(self, "adds", True)\n'
                "        self.adds = add_positional_encoding\n"
                "        add_positional_encoding = add_positional_encoding and earlier\n"
            )
        },
    ),
    Misconception(
        name="no_dropout_in_the_output_net",
        sentence=(
            "Your output net has no dropout, or one that another argument governs. Compare its "
            "parts with the list, one by one."
        ),
        replaced={"            nn.Dropout(dropout),\n": ""},
    ),
    Misconception(
        name="logits_of_a_second_run",
        sentence=(
            "The logits beside your maps come from another run of the encoder, so that no "
            "gradient goes from them to the maps that you return. Compute both in one go."
        ),
        replaced={
            (
                "        attention_maps, x = self.encoder.get_attention_maps(x, mask, "
                "return_outputs=True)\n"
            ): (
                "        attention_maps = self.encoder.get_attention_maps(x, mask)\n"
                "        x = self.encoder(x, mask)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="no_mask_without_positions",
        sentence=(
            "Where no positions are added you hand on no mask, neither in `forward` nor in "
            "`get_attention_maps`. The switch concerns the positions alone."
        ),
        replaced={
            "self.encoder(x, mask))": (
                "self.encoder(x, mask if add_positional_encoding else None))"
            ),
            "get_attention_maps(x, mask, return_outputs=True)": (
                "get_attention_maps(\n"
                "            x, mask if add_positional_encoding else None, "
                "return_outputs=True\n"
                "        )"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="encoding_as_long_as_the_notebooks_sequences",
        sentence=(
            "Your positional encoding is only as long as the sequences of this notebook. The "
            "model should take longer ones as well."
        ),
        replaced={
            "PositionalEncoding(model_dim)": ("PositionalEncoding(model_dim, max_len=SEQ_LEN)")
        },
    ),
    Misconception(
        name="log_softmax_at_the_end",
        sentence=(
            "You return log-probabilities, all of them below zero. The cross-entropy of question 8 "
            "wants the scores as the last layer gives them."
        ),
        replaced={
            "            nn.Linear(model_dim, num_classes),\n": (
                "            nn.Linear(model_dim, num_classes),\n"
                "            nn.LogSoftmax(dim=-1),\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="one_answer_at_all_positions",
        sentence=(
            "You take the mean over the positions before the output net, so that all positions get "
            "the same answer. Each position answers from its own vector."
        ),
        replaced={
            "return self.output_net(self.encoder(x, mask))\n": (
                "return self._answers(self.encoder(x, mask))\n\n"
                "    def _answers(self, x):\n"
                "        return self.output_net(x.mean(dim=1, keepdim=True).expand_as(x))\n"
            ),
            "(attention_maps, self.output_net(x))": "(attention_maps, self._answers(x))",
        },
        price="mathematics",
    ),
    Misconception(
        name="dropout_rates_of_input_and_encoder_exchanged",
        sentence=(
            "The rate of the input net goes to the blocks of the encoder, and the input net gets "
            "theirs. Compare the parts with the list, one by one."
        ),
        replaced={
            "nn.Dropout(input_dropout)": "nn.Dropout(dropout)",
            "            dropout=dropout,\n": "            dropout=input_dropout,\n",
        },
        price="edge",
    ),
    Misconception(
        name="dropout_before_the_norm",
        sentence=(
            "The dropout of your output net stands before its LayerNorm, which then takes mean and "
            "deviation of what is left. Compare the order of its parts with the list."
        ),
        replaced={
            "            nn.LayerNorm(model_dim),\n            nn.ReLU(),\n"
            "            nn.Dropout(dropout),\n": (
                "            nn.Dropout(dropout),\n"
                "            nn.LayerNorm(model_dim),\n"
                "            nn.ReLU(),\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="causal_without_a_mask",
        sentence=(
            "Where no mask is given your model hides what comes later, as one does that writes "
            "word by word. To reverse a sequence its first answer has to see the last digit."
        ),
        replaced={
            "        x = self._embedded(x, add_positional_encoding)\n        return": (
                "        mask = self._causal(x) if mask is None else mask\n"
                "        x = self._embedded(x, add_positional_encoding)\n        return"
            ),
            "        x = self._embedded(x, add_positional_encoding)\n        attention_maps": (
                "        mask = self._causal(x) if mask is None else mask\n"
                "        x = self._embedded(x, add_positional_encoding)\n        attention_maps"
            ),
            "    def _embedded(": (
                "    def _causal(self, x):\n"
                "        length = x.shape[1]\n"
                "        return torch.ones(length, length, dtype=torch.bool).tril()\n"
                "\n"
                "    def _embedded("
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="embedding_scaled",
        sentence=(
            "You multiply what the input net returns by the square root of model_dim, as the "
            "paper and the first assignment do. Here the marks are added to it as it is."
        ),
        replaced={
            "        x = self.input_net(x)\n": (
                "        x = self.input_net(x)\n        x = x * math.sqrt(x.shape[-1])\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="embedding_scaled_where_positions_are_added",
        sentence=(
            "Where positions are added you multiply what the input net returns by the square root "
            "of model_dim first, as the paper does. Here the marks are added to it as it is."
        ),
        replaced={
            "self.positions(x) if": "self.positions(x * math.sqrt(x.shape[-1])) if",
        },
        price="mathematics",
    ),
    Misconception(
        name="table_taken_for_padding",
        sentence=(
            "You take a mask of two axes for one of padding, a row for each sequence. Its axes "
            "are query and key."
        ),
        code="""class TransformerPredictor(nn.Module):
    def __init__(
        self,
        input_dim,
        model_dim,
        num_classes,
        num_heads,
        num_layers,
        dropout=0.0,
        input_dropout=0.0,
    ):
        super().__init__()
        self.input_dim = input_dim
        self.input_net = nn.Sequential(
            nn.Dropout(input_dropout), nn.Linear(input_dim, model_dim)
        )
        self.positions = PositionalEncoding(model_dim)
        self.encoder = TransformerEncoder(
            num_layers,
            input_dim=model_dim,
            num_heads=num_heads,
            dim_feedforward=2 * model_dim,
            dropout=dropout,
        )
        self.output_net = nn.Sequential(
            nn.Linear(model_dim, model_dim),
            nn.LayerNorm(model_dim),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(model_dim, num_classes),
        )

    def forward(self, x, mask=None, add_positional_encoding=True):
        if mask is not None and mask.ndim == 2:
            mask = mask[:, None, None, :]
        x = self.input_net(x)
        if add_positional_encoding:
            x = self.positions(x)
        return self.output_net(self.encoder(x, mask=mask))

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        h = self.input_net(x)
        if add_positional_encoding:
            h = self.positions(h)
        maps, out = self.encoder.get_attention_maps(h, mask=mask, return_outputs=True)
        return (maps, self.output_net(out)) if return_outputs else maps
""",
        price="edge",
    ),
    Misconception(
        name="maps_cut_off",
        sentence=(
            "The maps alone come without their graph. Gradients flow to the input from them, "
            "whatever else is returned."
        ),
        code="""class TransformerPredictor(nn.Module):
    def __init__(
        self,
        input_dim,
        model_dim,
        num_classes,
        num_heads,
        num_layers,
        dropout=0.0,
        input_dropout=0.0,
    ):
        super().__init__()
        self.input_dim = input_dim
        self.input_net = nn.Sequential(
            nn.Dropout(input_dropout), nn.Linear(input_dim, model_dim)
        )
        self.positions = PositionalEncoding(model_dim)
        self.encoder = TransformerEncoder(
            num_layers,
            input_dim=model_dim,
            num_heads=num_heads,
            dim_feedforward=2 * model_dim,
            dropout=dropout,
        )
        self.output_net = nn.Sequential(
            nn.Linear(model_dim, model_dim),
            nn.LayerNorm(model_dim),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(model_dim, num_classes),
        )

    def forward(self, x, mask=None, add_positional_encoding=True):
        x = self.input_net(x)
        if add_positional_encoding:
            x = self.positions(x)
        return self.output_net(self.encoder(x, mask=mask))

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        h = self.input_net(x)
        if add_positional_encoding:
            h = self.positions(h)
        maps, out = self.encoder.get_attention_maps(h, mask=mask, return_outputs=True)
        return (maps, self.output_net(out)) if return_outputs else [m.detach() for m in maps]
""",
    ),
    Misconception(
        name="rates_exchanged",
        sentence=(
            "The two rates of dropout are exchanged. `input_dropout` acts on what comes in, "
            "`dropout` on all else."
        ),
        code="""class TransformerPredictor(nn.Module):
    def __init__(
        self,
        input_dim,
        model_dim,
        num_classes,
        num_heads,
        num_layers,
        dropout=0.0,
        input_dropout=0.0,
    ):
        super().__init__()
        self.input_dim = input_dim

        drop_in, drop = dropout, input_dropout
        self.inp = nn.Sequential(nn.Dropout(drop_in), nn.Linear(input_dim, model_dim))
        self.pos = PositionalEncoding(model_dim)
        self.enc = TransformerEncoder(
            num_layers,
            input_dim=model_dim,
            num_heads=num_heads,
            dim_feedforward=2 * model_dim,
            dropout=drop,
        )
        self.out = nn.Sequential(
            nn.Linear(model_dim, model_dim),
            nn.LayerNorm(model_dim),
            nn.ReLU(),
            nn.Dropout(drop),
            nn.Linear(model_dim, num_classes),
        )

    def forward(self, x, mask=None, add_positional_encoding=True):
        return self.get_attention_maps(x, mask, add_positional_encoding, True)[1]

    def get_attention_maps(self, x, mask=None, add_positional_encoding=True, return_outputs=False):
        e = self.inp(x)
        if add_positional_encoding:
            e = self.pos(e)
        maps, u = self.enc.get_attention_maps(e, mask, True)
        return (maps, self.out(u)) if return_outputs else maps
""",
        price="edge",
    ),
    Misconception(
        name="mask_for_the_answer_alone",
        sentence=(
            "You hand the mask on only where the answer is asked for, too. The maps are those "
            "under the mask in any case."
        ),
        code="""class TransformerPredictor(nn.Module):
    def __init__(
        self,
        input_dim,
        model_dim,
        num_classes,
        num_heads,
        num_layers,
        dropout=0.0,
        input_dropout=0.0,
    ):
        super().__init__()
        self.input_dim = input_dim
        self.input_net = nn.Sequential(
            nn.Dropout(input_dropout), nn.Linear(input_dim, model_dim)
        )
        self.positions = PositionalEncoding(model_dim)
        self.encoder = TransformerEncoder(
            num_layers,
            input_dim=model_dim,
            num_heads=num_heads,
            dim_feedforward=2 * model_dim,
            dropout=dropout,
        )
        self.output_net = nn.Sequential(
            nn.Linear(model_dim, model_dim),
            nn.LayerNorm(model_dim),
            nn.ReLU(),
            nn.Dropout(dropout),
            nn.Linear(model_dim, num_classes),
        )

    def _embed(self, x, add_positional_encoding):
        x = self.input_net(x)
        return self.positions(x) if add_positional_encoding else x

    def forward(self, x, mask=None, add_positional_encoding=True):
        x = self._embed(x, add_positional_encoding)
        return self.output_net(self.encoder(x, mask))

    def get_attention_maps(
        self,
        x,
        mask=None,
        add_positional_encoding=True,
        return_outputs=False,
    ):
        x = self._embed(x, add_positional_encoding)
        if not return_outputs:
            return self.encoder.get_attention_maps(x)
        maps, u = self.encoder.get_attention_maps(x, mask, return_outputs=True)
        return maps, self.output_net(u)
""",
        price="edge",
    ),
]
