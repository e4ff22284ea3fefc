"""Known wrong answers to `transformer_encoder`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="one_block_many_times",
        sentence=(
            "All your layers are one and the same block, so that they share their parameters. Each "
            "layer needs a call of the class."
        ),
        replaced={
            "nn.ModuleList(EncoderBlock(**block_args) for _ in range(num_layers))": (
                "nn.ModuleList([EncoderBlock(**block_args)] * num_layers)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="plain_list",
        sentence=(
            "You keep the blocks in a plain list or dictionary, which PyTorch does not look into: "
            "no optimizer would ever train them. There is a list for modules."
        ),
        replaced={
            "nn.ModuleList(EncoderBlock(**block_args) for _ in range(num_layers))": (
                "[EncoderBlock(**block_args) for _ in range(num_layers)]"
            )
        },
        price="learning",
    ),
    Misconception(
        name="every_map_of_the_input",
        sentence=(
            "In `get_attention_maps` every layer looks at the input of the first one. Each layer's "
            "map belongs to what the layer before returned."
        ),
        replaced={
            "            x, attention = block(x, mask, return_attention=True)\n"
            "            attention_maps.append(attention)\n"
            "        return (attention_maps, x)": (
                "            output, attention = block(x, mask, return_attention=True)\n"
                "            attention_maps.append(attention)\n"
                "        return (attention_maps, output)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="maps_detached",
        sentence=(
            "Your maps are cut off from the graph, so that no gradient can go from the outputs to "
            "them. Question 11 needs them connected."
        ),
        replaced={"append(attention)": "append(attention.detach())"},
        price="learning",
    ),
    Misconception(
        name="maps_of_a_second_run",
        sentence=(
            "The outputs beside your maps come from another run of the blocks, so that they do not "
            "depend on the maps that you return. Compute both in one go."
        ),
        replaced={
            "        attention_maps = []\n": (
                "        attention_maps, outputs = [], self.forward(x, mask)\n"
            ),
            "(attention_maps, x)": "(attention_maps, outputs)",
        },
        price="edge",
    ),
    Misconception(
        name="mask_in_forward_only",
        sentence=(
            "In `get_attention_maps` the mask is not handed to the blocks, so that the maps show "
            "what `forward` never does."
        ),
        replaced={"block(x, mask, return_attention=True)": "block(x, return_attention=True)"},
        price="edge",
    ),
    Misconception(
        name="mask_not_passed_on",
        sentence=(
            "The mask is handed to no block, neither in `forward` nor in `get_attention_maps`."
        ),
        replaced={
            "block(x, mask, return_attention=True)": "block(x, return_attention=True)",
            "x = block(x, mask)": "x = block(x)",
        },
        price="edge",
    ),
    Misconception(
        name="heads_averaged",
        sentence=(
            "Your maps are means over the heads, so that nobody can see what a single head "
            "looks at. Keep the axis of the heads."
        ),
        replaced={
            "append(attention)": "append(attention.mean(dim=1))",
        },
        price="mathematics",
    ),
    Misconception(
        name="outputs_first",
        sentence=(
            "You return the outputs first and the maps second. The question asks for the "
            "opposite order."
        ),
        replaced={
            "(attention_maps, x) if": "(x, attention_maps) if",
        },
        price="mathematics",
    ),
    Misconception(
        name="each_map_of_the_input",
        sentence=(
            "In `get_attention_maps` every block is given the input of the first one, so that "
            "only the first map is right. What one block returns, the next one takes."
        ),
        replaced={
            (
                "            x, attention = block(x, mask, return_attention=True)\n"
                "            attention_maps.append(attention)\n"
                "        return (attention_maps, x)"
            ): (
                "            _, attention = block(x, mask, return_attention=True)\n"
                "            attention_maps.append(attention)\n"
                "        return (attention_maps, self(x, mask))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_for_the_first_block_alone",
        sentence=(
            "Only your first block gets the mask, so that what it hides can be seen again in the "
            "others. Every block gets the same mask."
        ),
        replaced={
            "        for block in self.blocks:\n            x = block(x, mask)\n": (
                "        for number, block in enumerate(self.blocks):\n"
                "            x = block(x, mask if number == 0 else None)\n"
            ),
            "        for block in self.blocks:\n"
            "            x, attention = block(x, mask, return_attention=True)\n": (
                "        for number, block in enumerate(self.blocks):\n"
                "            own = mask if number == 0 else None\n"
                "            x, attention = block(x, own, return_attention=True)\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="dropout_not_handed_on",
        sentence=(
            "You hand on the sizes of a block and no more, so that the blocks have no dropout. All "
            "that is named is for them."
        ),
        replaced={
            "EncoderBlock(**block_args)": (
                "EncoderBlock(\n"
                '                block_args["input_dim"],\n'
                '                block_args["num_heads"],\n'
                '                block_args["dim_feedforward"],\n'
                "            )"
            )
        },
    ),
    Misconception(
        name="three_blocks_at_most",
        sentence=(
            "You use three blocks at most, as the notebook does. There may be any number of them."
        ),
        replaced={
            "for _ in range(num_layers)": "for _ in range(min(num_layers, 3))",
        },
    ),
    Misconception(
        name="last_mask_remembered",
        sentence=(
            "You keep the last mask, and a call without one is answered as if it came again. A "
            "call knows nothing of those before."
        ),
        replaced={
            "        for block in self.blocks:\n            x = block(x, mask)\n": (
                "        if mask is not None:\n"
                "            self.last_mask = mask\n"
                "        for block in self.blocks:\n"
                '            x = block(x, getattr(self, "last_mask", None))\n'
            )
        },
        price="surroundings",
    ),
    Misconception(
        name="mask_given_an_axis",
        sentence=(
            "You give the mask of your caller one more axis. A function whose name ends with an "
            "underscore changes the tensor itself; the one without makes another."
        ),
        replaced={
            "        for block in self.blocks:\n            x = block(x, mask)\n": (
                "        if mask is not None and mask.dim() < 4:\n"
                "            mask.unsqueeze_(0)\n"
                "        for block in self.blocks:\n            x = block(x, mask)\n"
            )
        },
    ),
    Misconception(
        name="copies_of_one_block",
        sentence=(
            "Your blocks are copies of one, so that all of them start with the same weights. Each "
            "layer needs a call of the class."
        ),
        replaced={
            (
                "self.blocks = nn.ModuleList(EncoderBlock(**block_args) for _ in range(num_layers))"
            ): (
                "block = EncoderBlock(**block_args)\n"
                "        self.blocks = nn.ModuleList(copy.deepcopy(block) for _ in "
                "range(num_layers))"
            )
        },
    ),
    Misconception(
        name="mask_for_the_first_block_of_forward_alone",
        sentence=(
            "In `forward` only your first block gets the mask, so that the maps of "
            "`get_attention_maps` show another model. Both hand the same mask to every block."
        ),
        replaced={
            ("        for block in self.blocks:\n            x = block(x, mask)\n"): (
                "        for number, block in enumerate(self.blocks):\n"
                "            x = block(x, mask if number == 0 else None)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="maps_without_gradients",
        sentence=(
            "`get_attention_maps` runs with gradients switched off, so that none goes from maps "
            "and outputs to the input. Question 11 differentiates through this call."
        ),
        replaced={
            "    def get_attention_maps(": "    @torch.no_grad()\n    def get_attention_maps(",
        },
        price="learning",
    ),
    Misconception(
        name="last_map_first",
        sentence=(
            "Your maps come in the opposite order, that of the last layer first. The first of the "
            "list belongs to the layer that reads the input."
        ),
        replaced={"attention_maps.append(attention)": "attention_maps.insert(0, attention)"},
        price="mathematics",
    ),
    Misconception(
        name="maps_alone_without_gradients",
        sentence=(
            "When only the maps are asked for, you compute them with gradients switched off. "
            "Somebody may differentiate through them, also without the outputs."
        ),
        replaced={
            "        for block in self.blocks:\n"
            "            x, attention = block(x, mask, return_attention=True)\n"
            "            attention_maps.append(attention)\n": (
                "        with torch.set_grad_enabled(torch.is_grad_enabled() and return_outputs):\n"
                "            for block in self.blocks:\n"
                "                x, attention = block(x, mask, return_attention=True)\n"
                "                attention_maps.append(attention)\n"
            )
        },
    ),
    Misconception(
        name="maps_alone_of_the_input",
        sentence=(
            "When only the maps are asked for, every block is given the input of the first one. "
            "What one block returns the next one takes, whether anybody wants the outputs or not."
        ),
        replaced={
            "        attention_maps = []\n": (
                "        if not return_outputs:\n"
                "            answers = [block(x, mask, True) for block in self.blocks]\n"
                "            return [attention for _, attention in answers]\n"
                "        attention_maps = []\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_in_the_maps_only",
        sentence=(
            "The maps are those under the mask, and a call of the encoder forgets it. Hand it to "
            "every block there, too."
        ),
        replaced={
            "x = block(x, mask)\n": ("x = block(x)\n"),
        },
        price="edge",
    ),
    Misconception(
        name="maps_of_earlier_calls",
        sentence=(
            "You gather the maps in a list that the module keeps, so that a call returns those of "
            "all calls before it, too. Begin with an empty list in each call."
        ),
        replaced={
            "        self.blocks =": "        self.attention_maps = []\n        self.blocks =",
            "        attention_maps = []\n": "        attention_maps = self.attention_maps\n",
        },
        price="mathematics",
    ),
]
