"""Wrong answers to question 5 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="heads_cut_from_positions",
        sentence=(
            "You reshape straight to one table for each head, which cuts the positions into "
            "pieces and not the vectors. Cut the last axis first, then let heads and "
            "positions change places."
        ),
        replaced={
            "tensor.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": (
                "tensor.reshape(len(tensor), self.num_heads, tensor.shape[1], -1)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_cut_and_glued_from_positions",
        sentence=(
            "You reshape straight to one table for each head and straight back, which cuts "
            "the positions into pieces and not the vectors. Cut the last axis first, then "
            "let heads and positions change places, and undo both afterwards."
        ),
        replaced={
            "tensor.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": (
                "tensor.reshape(len(tensor), self.num_heads, tensor.shape[1], -1)"
            ),
            "heads.transpose(1, 2).flatten(2)": "heads.reshape(x_q.shape)",
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_merged_without_swapping",
        sentence=(
            "You glue the heads together without letting heads and positions change places "
            "again, so each output holds pieces of several positions. Undo the two steps in "
            "the opposite order."
        ),
        replaced={
            "heads.transpose(1, 2).flatten(2)": "heads.reshape(x_q.shape)",
        },
        price="mathematics",
    ),
    Misconception(
        name="values_from_x_k",
        sentence=(
            "You make the values from x_k, the input of the keys. As long as both are the "
            "same sequence nobody notices; they are two inputs because they need not be."
        ),
        replaced={
            "self.value(x_v)": "self.value(x_k)",
        },
        price="mathematics",
    ),
    Misconception(
        name="queries_and_keys_swapped",
        sentence=(
            "Your queries come from the second sequence and your keys from the first, so "
            "the roles are swapped. There should be one output for each position of x_q."
        ),
        replaced={
            "self.query(x_q), self.key(x_k), self.value(x_v)": (
                "self.query(x_k), self.key(x_q), self.value(x_q)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="no_output_layer",
        sentence=(
            "You return the heads side by side, without the linear layer that mixes them. "
            "Look at the last factor of the formula."
        ),
        replaced={
            (
                "return self.output(heads.transpose(1, 2).flatten(2)), attention"
            ): "return heads.transpose(1, 2).flatten(2), attention",
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_forgotten",
        sentence=(
            "Your module takes a mask and does not use it, so everything is looked at, "
            "padding and future too. Hand it on to your attention function."
        ),
        replaced={
            "scaled_dot_product_attention(q, k, v, mask)": (
                "scaled_dot_product_attention(q, k, v)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_inverted",
        sentence=(
            "You turn the mask round before you hand it on, so the module looks at just "
            "what it should not see. In this course True means “may attend”."
        ),
        replaced={
            "scaled_dot_product_attention(q, k, v, mask)": (
                "scaled_dot_product_attention(q, k, v, None if mask is None else ~mask)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="attention_averaged_over_heads",
        sentence=(
            "You return the mean of the heads' weights, so nobody can see what a single "
            "head looks at. The second result has an axis for the heads."
        ),
        replaced={
            ".flatten(2)), attention": ".flatten(2)), attention.mean(dim=1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="returns_the_output_alone",
        sentence=(
            "You return the output alone, so nobody can see what was looked at. The "
            "question asks for a pair, the output and the weights of all heads."
        ),
        replaced={
            ".flatten(2)), attention": ".flatten(2))",
        },
        price="mathematics",
    ),
    Misconception(
        name="one_layer_for_queries_and_keys",
        sentence=(
            "You use one linear layer for queries and keys, so a position looks mostly for "
            "what it is itself. The formula has a matrix for each."
        ),
        replaced={
            "self.key = nn.Linear(d_model, d_model)": "self.key = self.query",
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_of_every_nth_column",
        sentence=(
            "Your heads take columns of the vectors that lie apart. A head has columns that "
            "stand side by side: look at the order of the two new axes."
        ),
        replaced={
            "tensor.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": (
                "tensor.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)"
            ),
            "heads.transpose(1, 2).flatten(2)": "heads.permute(0, 2, 3, 1).flatten(2)",
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_of_torch",
        sentence=(
            "You let PyTorch's `nn.MultiheadAttention` do the work. The question asks you to cut "
            "the vectors into heads yourself."
        ),
        code="""
class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.whole = nn.MultiheadAttention(d_model, num_heads, batch_first=True)

    def forward(self, x_q, x_k, x_v, mask=None):
        hidden = None
        if mask is not None:
            shape = (len(x_q), self.num_heads, x_q.shape[1], x_k.shape[1])
            hidden = ~mask.expand(shape).flatten(0, 1)
        return self.whole(x_q, x_k, x_v, attn_mask=hidden, average_attn_weights=False)
""",
    ),
    Misconception(
        name="mask_of_the_first_head",
        sentence=(
            "Of a mask with an axis for the heads you use the part of the first head for them all."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        if mask is not None and mask.dim() == 4:\n"
                "            mask = mask[:, :1]\n"
                "        heads, attention = scaled"
            )
        },
    ),
    Misconception(
        name="mask_by_head_taken_for_sequences",
        sentence=(
            "You take a mask of three axes for one of each sequence. Broadcasting lines axes up "
            "from the last one, so that its first axis is that of the heads."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        if mask is not None and mask.dim() == 3:\n"
                "            mask = mask[:, None]\n"
                "        heads, attention = scaled"
            )
        },
    ),
    Misconception(
        name="causal_by_itself",
        sentence=(
            "Where queries and keys are the same tensor and there is no mask, you hide the future. "
            "Without a mask everything may be attended to."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        if mask is None and x_q is x_k:\n"
                "            mask = causal_mask(x_q.shape[1]).to(x_q.device)\n"
                "        heads, attention = scaled"
            )
        },
    ),
    Misconception(
        name="empty_rows_opened",
        sentence=(
            "You let a query that may attend to nothing attend to everything. Its weights are to "
            "be 0, and what reaches the output layer as well."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        if mask is not None:\n"
                "            mask = mask | ~mask.any(dim=-1, keepdim=True)\n"
                "        heads, attention = scaled"
            )
        },
    ),
    Misconception(
        name="values_of_queries_that_are_keys",
        sentence=(
            "Where queries and keys are one tensor you take the values from it as well. Each of "
            "the three inputs is a matter of its own."
        ),
        replaced={
            "        q, k, v = self.query(x_q)": (
                "        x_v = x_q if x_q is x_k else x_v\n        q, k, v = self.query(x_q)"
            )
        },
    ),
    Misconception(
        name="masks_in_another_order_than_heads",
        sentence=(
            "You fold the heads into the axis of the batch and repeat the masks in another order, "
            "so that heads get the mask of another sequence. Write down which sequence stands "
            "where in that axis, on both sides."
        ),
        replaced={
            "        heads, attention = scaled_dot_product_attention(q, k, v, mask)\n": (
                "        if mask is not None:\n"
                "            mask = mask.expand(len(x_q), self.num_heads, x_q.shape[1], "
                "x_k.shape[1])\n"
                "            mask = mask.transpose(0, 1).flatten(0, 1)\n"
                "        q, k, v = (tensor.flatten(0, 1) for tensor in (q, k, v))\n"
                "        heads, attention = scaled_dot_product_attention(q, k, v, mask)\n"
                "        heads = heads.unflatten(0, (len(x_q), -1))\n"
                "        attention = attention.unflatten(0, (len(x_q), -1))\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="masks_of_fewer_axes_ignored",
        sentence=(
            "You use a mask only when it has an axis for each of batch, heads, queries and keys. "
            "Every mask that broadcasts counts, and a causal one has fewer."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        if mask is not None and mask.dim() < 4:\n"
                "            mask = None\n"
                "        heads, attention = scaled"
            )
        },
    ),
    Misconception(
        name="mask_of_the_first_sequence",
        sentence=(
            "You use the mask of the first sequence for the whole batch. Each sequence has "
            "padding, and so a mask, of its own."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        if mask is not None and mask.dim() == 4:\n"
                "            mask = mask[:1]\n"
                "        heads, attention = scaled"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_of_the_heads_for_each",
        sentence=(
            "You return the mean of the heads' weights for every head. A head looks for itself, "
            "and its own weights are asked for."
        ),
        replaced={
            ".flatten(2)), attention": (
                ".flatten(2)), attention.mean(dim=1, keepdim=True).expand_as(attention)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="scaled_a_second_time",
        sentence=(
            "Your scores are scaled twice, here and in your attention function, so that the "
            "weights are too nearly equal. Once is enough."
        ),
        replaced={
            "scaled_dot_product_attention(q, k, v, mask)": (
                "scaled_dot_product_attention(\n"
                "            q / math.sqrt(q.shape[-1]), k, v, mask\n"
                "        )"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="two_axes_taken_for_padding",
        sentence=(
            "You take a mask of two axes for one that tells the keys of each sequence. What "
            "broadcasts has its axes at the end: such a mask tells queries and keys, for all "
            "sequences."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        if mask is not None and mask.dim() == 2 and len(mask) == len(x_q):\n"
                "            mask = mask[:, None, None]\n"
                "        heads, attention = scaled"
            )
        },
    ),
    Misconception(
        name="scaled_by_the_whole_size",
        sentence=(
            "Your scores are divided by the root of d_model. The vectors that are compared are "
            "those of one head, and your attention function knows their size."
        ),
        replaced={
            "scaled_dot_product_attention(q, k, v, mask)": (
                "scaled_dot_product_attention(\n"
                "            q / math.sqrt(self.num_heads), k, v, mask\n"
                "        )"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="keys_and_values_of_the_first_head",
        sentence=(
            "All your heads look at the keys and values of the first one, as in models that save "
            "memory. Here each head has keys and values of its own."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        k, v = k[:, :1].expand_as(k), v[:, :1].expand_as(v)\n"
                "        heads, attention = scaled"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="always_two_heads",
        sentence=(
            "You cut the vectors into two heads, however many are asked for. Their number is an "
            "argument."
        ),
        replaced={
            (
                "        heads, attention = scaled_dot_product_attention(q, k, v, mask)\n"
                "        return self.output(heads.transpose(1, 2).flatten(2)), attention"
            ): (
                "        q, k, v = (part.transpose(1, 2).flatten(2) for part in (q, k, v))\n"
                "        half = q.shape[-1] // 2\n"
                "        heads, weights = [], []\n"
                "        for own in (slice(half), slice(half, None)):\n"
                "            parts = (part[:, None, :, own] for part in (q, k, v))\n"
                "            head, attention = scaled_dot_product_attention(*parts, mask)\n"
                "            heads.append(head[:, 0])\n"
                "            weights.append(attention)\n"
                "        return self.output(torch.cat(heads, dim=-1)), torch.cat(weights, dim=1)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="another_axis_for_the_heads",
        sentence=(
            "You put an axis for the heads into every mask, also where it has one already, so "
            "that all axes before it move. A mask lines up from its last axis, without your help."
        ),
        replaced={
            "        heads, attention = scaled": (
                "        if mask is not None:\n"
                "            mask = mask.unsqueeze(1)\n"
                "        heads, attention = scaled"
            ),
            ".flatten(2)": ".reshape(len(x_q), -1, x_q.shape[-1])",
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_in_reversed_order",
        sentence=(
            "You put the heads together in reversed order. They stand side by side as they were "
            "split."
        ),
        code="""class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.query = nn.Linear(d_model, d_model)
        self.key = nn.Linear(d_model, d_model)
        self.value = nn.Linear(d_model, d_model)
        self.output = nn.Linear(d_model, d_model)

    def cut(self, x):
        return x.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, x_q, x_k, x_v, mask=None):
        q, k, v = self.cut(self.query(x_q)), self.cut(self.key(x_k)), self.cut(self.value(x_v))
        mixed, attention = scaled_dot_product_attention(q, k, v, mask)
        return self.output(mixed.flip(1).transpose(1, 2).flatten(2)), attention
""",
        price="mathematics",
    ),
    Misconception(
        name="one_layer_for_keys_and_values",
        sentence=("Keys and values go through one layer. Each of the two has a layer of its own."),
        replaced={
            "self.value(x_v)": "self.key(x_v)",
        },
        price="mathematics",
    ),
    Misconception(
        name="columns_dealt_to_the_heads",
        sentence=(
            "Your heads take columns that lie apart, and are put together side by side. A head "
            "takes columns that stand side by side, too: look at the order of the two new axes."
        ),
        replaced={
            "tensor.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)": (
                "tensor.unflatten(-1, (-1, self.num_heads)).permute(0, 3, 1, 2)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_joined_number_by_number",
        sentence=(
            "You join the heads as one shuffles cards: the first number of each head, then "
            "the second of each. The numbers of one head stay side by side."
        ),
        replaced={
            "heads.transpose(1, 2).flatten(2)": "heads.permute(0, 2, 3, 1).flatten(2)",
        },
        price="mathematics",
    ),
]
