"""Known wrong answers to `multi_headed_attention`."""

from __future__ import annotations

from autograder.checking import Misconception

HEADS = "self.heads = nn.ModuleList(attn_modules)"
SUM = "sum(head.output_dim for head in self.heads)"
LAYER = "self.mix = nn.Linear(heads_dim, final_output_dim)"
OUTPUTS = "[head(x) for head in self.heads]"
TOGETHER = f"torch.cat({OUTPUTS}, dim=-1)"
MIXED = "return self.mix(together)"
FIRST = "self.heads[0].output_dim"

MISCONCEPTIONS = [
    Misconception(
        "mean_of_heads",
        "You take the mean of the heads' outputs, so the layer after them cannot tell one head "
        "from another. They belong side by side.",
        {SUM: FIRST, TOGETHER: f"torch.stack({OUTPUTS}).mean(dim=0)"},
        price="mathematics",
    ),
    Misconception(
        "sum_of_heads",
        "You add the heads' outputs up, so the layer after them cannot tell one head from another. "
        "They belong side by side.",
        {SUM: FIRST, TOGETHER: f"torch.stack({OUTPUTS}).sum(dim=0)"},
        price="mathematics",
    ),
    Misconception(
        "layer_missing",
        "You return the heads' outputs as they stand side by side. The formula ends with one more "
        "step, which also gives the output its size.",
        {f"        {LAYER}\n": "", MIXED: "return together"},
        price="mathematics",
    ),
    Misconception(
        "a_layer_for_each_head",
        "You made a linear layer for each head and added up what they return, with as many biases "
        "as heads. The text asks for one layer behind all heads together.",
        {
            LAYER: "self.mix = nn.ModuleList(\n"
            "            nn.Linear(head.output_dim, final_output_dim) for head in self.heads\n"
            "        )",
            TOGETHER: "[mix(head(x)) for mix, head in zip(self.mix, self.heads)]",
            MIXED: "return sum(together)",
        },
        price="mathematics",
    ),
    Misconception(
        "heads_in_a_plain_list",
        "You keep the heads in a plain list or dictionary, where PyTorch does not see them: no "
        "optimizer will find their parameters. The text names a list that PyTorch knows.",
        {HEADS: "self.heads = list(attn_modules)"},
        price="learning",
    ),
    Misconception(
        "heads_parameters_alone",
        "You register the parameters of the heads and not the heads: `train()`, `eval()` and what "
        "else a module hands on to its parts do not reach them. The text names a list that PyTorch "
        "knows.",
        {
            HEADS: "self.heads = list(attn_modules)\n"
            "        self.weights_of_heads = nn.ParameterList(\n"
            "            one for head in self.heads for one in head.parameters()\n"
            "        )"
        },
        price="learning",
    ),
    Misconception(
        "first_head_only",
        "You use the first head and none of the others. The output is made of what all heads "
        "return.",
        {SUM: FIRST, TOGETHER: "self.heads[0](x)"},
        price="mathematics",
    ),
    Misconception(
        "first_head_repeated",
        "You apply the first head again and again, so that all parts of the concatenation are "
        "equal. Check which head your loop calls.",
        {OUTPUTS: "[self.heads[0](x) for _ in self.heads]"},
        price="mathematics",
    ),
    Misconception(
        "heads_in_a_chain",
        "You feed each head with what the one before it returned. All heads look at the same "
        "sequence, x.",
        {
            SUM: "self.heads[-1].output_dim",
            TOGETHER: "x\n        for head in self.heads:\n            together = head(together)",
        },
        price="mathematics",
    ),
    Misconception(
        "heads_in_reverse",
        "You put the heads' outputs side by side from the last to the first. Keep to the order "
        "of the list.",
        {OUTPUTS: "[head(x) for head in reversed(self.heads)]"},
        price="mathematics",
    ),
    Misconception(
        "heads_interleaved",
        "You shuffled the heads' numbers like cards: the first of each head, then the second of "
        "each. In the formula a head's numbers stay together.",
        {TOGETHER: f"torch.stack({OUTPUTS}, dim=-1).flatten(-2)"},
        price="mathematics",
    ),
    Misconception(
        "concatenated_over_positions",
        "You put the heads' outputs one behind the other along the sequence, which makes it "
        "longer. Ask which axis may differ from head to head.",
        {SUM: FIRST, TOGETHER: f"torch.cat({OUTPUTS}, dim=1)"},
        price="mathematics",
    ),
    Misconception(
        "concatenated_over_the_batch",
        "You put the heads' outputs one behind the other along the batch, as happens when no axis "
        "is named. Ask which axis may differ from head to head.",
        {SUM: FIRST, TOGETHER: f"torch.cat({OUTPUTS})"},
        price="mathematics",
    ),
    Misconception(
        "equal_sizes_assumed",
        "You take it that all heads have the size of the first. Ask each of them.",
        {SUM: f"len(self.heads) * {FIRST}"},
        price="edge",
    ),
    Misconception(
        "no_bias",
        "Your layer has no bias. The formula adds one; a linear layer has it unless you take it "
        "away.",
        {LAYER: f"{LAYER[:-1]}, bias=False)"},
        price="edge",
    ),
    Misconception(
        "layer_made_in_forward",
        "You make the last layer anew in each call, so its weights are random every time and can "
        "never be trained. Layers are made once, where the module is made.",
        {
            LAYER: "self.sizes = (heads_dim, final_output_dim)",
            MIXED: "return nn.Linear(*self.sizes)(together)",
        },
        price="learning",
    ),
    Misconception(
        "activation_added",
        "You clip the output at zero. The formula ends with the linear layer.",
        {MIXED: "return torch.relu(self.mix(together))"},
        price="mathematics",
    ),
    Misconception(
        name="equal_heads_interleaved",
        sentence=(
            "Heads of one size are not put side by side: you mix their numbers, one of each head "
            "in turn. Look at the axis along which you stack."
        ),
        replaced={
            "        together = torch.cat([head(x) for head in self.heads], dim=-1)": (
                "        parts = [head(x) for head in self.heads]\n"
                "        alike = len({part.shape for part in parts}) == 1\n"
                "        together = torch.cat(parts, dim=-1)\n"
                "        if alike:\n"
                "            together = torch.stack(parts, dim=-1).flatten(-2)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_put_into_evaluation",
        sentence=(
            "You put the heads that were handed in into evaluation mode. They stay in the mode in "
            "which they came."
        ),
        replaced={
            "        self.heads = nn.ModuleList(attn_modules)\n": (
                "        self.heads = nn.ModuleList(attn_modules).eval()\n"
            )
        },
    ),
    Misconception(
        "concatenated_over_positions_and_reshaped",
        "You put the heads' outputs one behind the other along the sequence and reshape them, "
        "so numbers of different positions come side by side. Ask which axis may differ from "
        "head to head.",
        {TOGETHER: f"torch.cat({OUTPUTS}, dim=1).reshape(*x.shape[:2], -1)"},
        price="mathematics",
    ),
    Misconception(
        "heads_taken_out_of_the_list",
        "You take the heads out of the list that was handed in, so it is empty when you are "
        "done. The list still belongs to whoever made it: read it and leave it as it was.",
        {
            HEADS: "self.heads = nn.ModuleList()\n"
            "        while attn_modules:\n"
            "            self.heads.append(attn_modules.pop(0))"
        },
    ),
    Misconception(
        "heads_written_into_single_precision",
        "You write the heads' outputs into a tensor that you have made in single precision, "
        "on the CPU. What you make on the way should have the dtype and the device of the "
        "input.",
        {
            f"together = {TOGETHER}": "together = torch.zeros(*x.shape[:2], self.mix.in_features)\n"
            "        start = 0\n"
            "        for head in self.heads:\n"
            "            together[..., start : start + head.output_dim] = head(x)\n"
            "            start += head.output_dim"
        },
        price="edge",
    ),
    Misconception(
        "heads_in_a_chain_where_sizes_agree",
        "Where sizes agree you feed a head with what the one before it returned, though the "
        "outputs of all stand side by side. All heads look at the same sequence, x.",
        {
            f"together = {TOGETHER}": "outputs, read = [], x\n"
            "        for head in self.heads:\n"
            "            outputs.append(head(read))\n"
            "            read = outputs[-1] if outputs[-1].shape == x.shape else read\n"
            "        together = torch.cat(outputs, dim=-1)"
        },
        price="edge",
    ),
    Misconception(
        "heads_flattened_and_cut_anew",
        "You join what each head returned for the whole sequence and cut it into positions "
        "afterwards, so numbers of different positions come side by side. Join the heads position "
        "by position.",
        {
            TOGETHER: "torch.cat([head(x).flatten(1) for head in self.heads], dim=1)"
            ".reshape(*x.shape[:2], -1)"
        },
        price="mathematics",
    ),
    Misconception(
        "heads_drawn_anew",
        "You draw new weights for all parameters of the module, those of the heads included. The "
        "heads came with weights of their own, which may have been trained.",
        {
            LAYER: f"{LAYER}\n"
            "        for parameter in self.parameters():\n"
            "            if parameter.dim() > 1:\n"
            "                nn.init.xavier_uniform_(parameter)"
        },
    ),
    Misconception(
        "output_normalised",
        "You normalise what the linear layer returns, as is done around the attention of a whole "
        "block. The formula ends with the linear layer.",
        {
            MIXED: "mixed = self.mix(together)\n        "
            "return nn.functional.layer_norm(mixed, mixed.shape[-1:])"
        },
        price="mathematics",
    ),
    Misconception(
        "input_added_where_sizes_agree",
        "Where the output has the size of x you add x to it. Residual connections come in the "
        "next assignment; the formula here has none.",
        {
            MIXED: "mixed = self.mix(together)\n        "
            "return mixed + x if mixed.shape == x.shape else mixed"
        },
        price="edge",
    ),
    Misconception(
        "block_around_it_where_sizes_agree",
        "Where the output has the size of x you add x and normalise the sum, as a whole block "
        "does. The formula ends with the linear layer.",
        {
            MIXED: "mixed = self.mix(together)\n"
            "        if mixed.shape == x.shape:\n"
            "            mixed = nn.functional.layer_norm(x + mixed, x.shape[-1:])\n"
            "        return mixed"
        },
        price="edge",
    ),
    Misconception(
        "equal_heads_concatenated_over_positions",
        "You put the outputs of heads of one size one behind the other along the sequence and "
        "reshape them, so numbers of different positions come side by side. Ask which axis may "
        "differ from head to head.",
        {
            f"together = {TOGETHER}": f"outputs = {OUTPUTS}\n"
            "        together = torch.cat(outputs, dim=-1)\n"
            "        if len({output.shape for output in outputs}) == 1:\n"
            "            together = torch.cat(outputs, dim=1).reshape(together.shape)"
        },
        price="mathematics",
    ),
    Misconception(
        "input_cut_among_the_heads",
        "You cut the vectors of x into pieces and give each head one of them, as is done "
        "where one module holds all heads. Here each head takes the whole x and makes it "
        "small by its own layers.",
        {
            f"together = {TOGETHER}": (
                "parts = x.chunk(len(self.heads), dim=-1)\n"
                "        outputs = [head(part) for head, part in zip(self.heads, parts)]\n"
                "        together = torch.cat(outputs, dim=-1)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        "input_cut_and_filled_up_with_zeros",
        "You show each head its own piece of the vectors of x and zeros in the place of the "
        "rest. Each head takes the whole x and makes it small by its own layers.",
        {
            f"together = {TOGETHER}": (
                "heads, size = len(self.heads), x.shape[-1]\n"
                "        owner = torch.arange(size, device=x.device)\n"
                "        outputs = []\n"
                "        for number, head in enumerate(self.heads):\n"
                "            first, last = number * size // heads, (number + 1) * size // heads\n"
                "            outputs.append(head(x * ((owner >= first) & (owner < last))))\n"
                "        together = torch.cat(outputs, dim=-1)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        "mean_in_the_place_of_each_head",
        "You put the mean of the heads in the place of each of them, so the layer after them "
        "gets the same numbers again and again. Each head keeps its own place.",
        {
            TOGETHER: f"torch.stack({OUTPUTS}).mean(dim=0).repeat(1, 1, len(self.heads))",
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_sorted",
        sentence=(
            "You sort the heads. Their outputs stand in the order in which the heads were handed "
            "in."
        ),
        code="""class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(sorted(attn_modules, key=lambda m: m.output_dim))
        total = sum(head.output_dim for head in self.heads)
        self.out = nn.Linear(total, final_output_dim)

    def forward(self, x):
        return self.out(torch.cat([head(x) for head in self.heads], dim=-1))
""",
        price="edge",
    ),
    Misconception(
        name="outputs_of_all_calls",
        sentence=(
            "You keep the outputs of the heads in a list that is never emptied. Each call is "
            "about its own."
        ),
        code="""class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.linear = nn.Linear(sum(h.output_dim for h in attn_modules), final_output_dim)
        self.outputs = []

    def forward(self, x):
        for head in self.heads:
            self.outputs.append(head(x))
        return self.linear(torch.cat(self.outputs, dim=2))
""",
        price="mathematics",
    ),
    Misconception(
        name="single_head_unmixed",
        sentence=(
            "You leave the last layer out where there is one head. It is there for one head, too."
        ),
        code="""class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        width = sum(head.output_dim for head in self.heads)
        if len(self.heads) == 1 and width == final_output_dim:
            self.mixer = nn.Identity()
        else:
            self.mixer = nn.Linear(width, final_output_dim)

    def forward(self, x):
        found = [head(x) for head in self.heads]
        return self.mixer(torch.cat(found, dim=-1))
""",
        price="edge",
    ),
    Misconception(
        name="bias_for_each_head",
        sentence=(
            "The bias of the last layer is added once for each head. It is one layer over all "
            "heads side by side: its bias is added once."
        ),
        code="""class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        self.sizes = [head.output_dim for head in attn_modules]
        self.out = nn.Linear(sum(self.sizes), final_output_dim)

    def forward(self, x):
        pieces = self.out.weight.split(self.sizes, dim=1)
        total = 0
        for head, piece in zip(self.heads, pieces):
            total = total + nn.functional.linear(head(x), piece, self.out.bias)
        return total
""",
        price="mathematics",
    ),
    Misconception(
        name="heads_frozen",
        sentence=(
            "You switch off the training of the heads. They learn like the layer that you make."
        ),
        code="""class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        for head in self.heads:
            head.requires_grad_(False)  # already made
        self.linear = nn.Linear(sum(h.output_dim for h in self.heads), final_output_dim)

    def forward(self, x):
        return self.linear(torch.cat([h(x) for h in self.heads], dim=-1))
""",
        price="edge",
    ),
    Misconception(
        name="size_of_a_layer_in_the_head",
        sentence=(
            "You take the size of what a head puts out from a layer in it. Any module may be a "
            "head: ask it for `output_dim`."
        ),
        code="""class MultiHeadedAttention(nn.Module):
    def __init__(self, attn_modules, final_output_dim):
        super().__init__()
        self.heads = nn.ModuleList(attn_modules)
        width = 0
        for head in self.heads:
            linears = [m for m in head.modules() if isinstance(m, nn.Linear)]
            width += linears[-1].out_features
        self.out_proj = nn.Linear(width, final_output_dim)

    def forward(self, x):
        return self.out_proj(torch.cat([h(x) for h in self.heads], -1))
""",
        price="mathematics",
    ),
    Misconception(
        "heads_copied",
        "You keep copies of the heads, so that those which were handed in are neither called nor "
        "trained. Keep the modules themselves.",
        {
            HEADS: "self.heads = nn.ModuleList(copy.deepcopy(head) for head in attn_modules)",
            "class MultiHeadedAttention": "import copy\n\n\nclass MultiHeadedAttention",
        },
        price="learning",
    ),
]
