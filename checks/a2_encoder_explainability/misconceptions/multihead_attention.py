"""Known wrong answers to `multihead_attention`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="chunked_before_heads",
        sentence=(
            "You cut the projection into queries, keys and values first and each of these into "
            "heads after, but its columns lie head by head. The shapes agree either way; the "
            "figure below the question shows who owns which column."
        ),
        replaced={
            "        qkv = self.qkv_proj(x).reshape(batch, length, self.num_heads, -1)\n"
            "        q, k, v = qkv.transpose(1, 2).chunk(3, dim=-1)": (
                "        parts = self.qkv_proj(x).chunk(3, dim=-1)\n"
                "        shape = (batch, length, self.num_heads, -1)\n"
                "        q, k, v = (part.reshape(shape).transpose(1, 2) for part in parts)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="scaled_by_embed_dim",
        sentence=(
            "Your scores are divided by the square root of the whole embedding size. A head "
            "compares vectors of its own size only, and that decides the scale."
        ),
        replaced={
            "scaled_dot_product(q, k, v, mask)": (
                "scaled_dot_product(q / math.sqrt(self.num_heads), k, v, mask)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="heads_mixed_with_positions",
        sentence=(
            "You put the heads side by side while they still stand before the positions, which "
            "mixes numbers of different positions. Two axes have to change places first."
        ),
        replaced={"values.transpose(1, 2).reshape": "values.reshape"},
        price="mathematics",
    ),
    Misconception(
        name="heads_cut_by_reshape",
        sentence=(
            "You reshape the projection straight to (B, heads, L, ...), which counts the numbers "
            "otherwise and mixes the positions. Reshaping cannot exchange two axes."
        ),
        replaced={
            ".reshape(batch, length, self.num_heads, -1)": (
                ".reshape(batch, self.num_heads, length, -1)"
            ),
            "qkv.transpose(1, 2).chunk": "qkv.chunk",
        },
        price="mathematics",
    ),
    Misconception(
        name="keys_and_queries_swapped",
        sentence=(
            "In each head's piece of the projection you take the keys for the queries and the "
            "other way round. The order is query, key, value."
        ),
        replaced={"q, k, v = qkv": "k, q, v = qkv"},
        price="mathematics",
    ),
    Misconception(
        name="without_output_projection",
        sentence=(
            "You return the heads side by side and never use `o_proj`, so that they are not mixed. "
            "See the last line of the table of shapes."
        ),
        replaced={"self.o_proj(values)": "values"},
        price="mathematics",
    ),
    Misconception(
        name="weights_start_as_usual",
        sentence=(
            "Your weights start as `nn.Linear` draws them. The question asks for another "
            "initialisation of both matrices."
        ),
        replaced={"            nn.init.xavier_uniform_(layer.weight)\n": ""},
        price="edge",
    ),
    Misconception(
        name="weights_start_normal",
        sentence=(
            "Your weights are drawn from a normal distribution, whose numbers have no bound. The "
            "question asks for the uniform kind of the same scale."
        ),
        replaced={"xavier_uniform_": "xavier_normal_"},
        price="edge",
    ),
    Misconception(
        name="biases_start_as_usual",
        sentence=(
            "Your biases start as `nn.Linear` draws them, not at the value that the question gives."
        ),
        replaced={"            nn.init.zeros_(layer.bias)\n": ""},
        price="edge",
    ),
    Misconception(
        name="map_stacked_after_use",
        sentence=(
            "You compute each head's values first and stack the weights for the return after that, "
            "so that no gradient can go from the output to what you return. Stack them before they "
            "are used."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)": (
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
                "        attention = torch.stack(attention.unbind(dim=1), dim=1)"
            )
        },
        price="edge",
    ),
    Misconception(
        name="mask_not_passed_on",
        sentence=(
            "Your `forward` takes a mask and does not hand it on, so that every position sees all "
            "others."
        ),
        replaced={"(q, k, v, mask)": "(q, k, v)"},
        price="edge",
    ),
    Misconception(
        name="assertion_for_an_error",
        sentence=(
            "An assertion refuses sizes that do not divide. Assertions are for your own "
            "mistakes and can be switched off; the question names the error that callers should "
            "get."
        ),
        replaced={
            (
                "        if embed_dim % num_heads != 0:\n"
                '            raise ValueError(f"embed_dim {embed_dim} is not '
                'divisible by num_heads {num_heads}")\n'
            ): '        assert embed_dim % num_heads == 0, f"{embed_dim} by {num_heads}"\n',
        },
        price="edge",
    ),
    Misconception(
        name="sizes_not_refused",
        sentence=(
            "Your `__init__` takes an embedding size that cannot be divided among the heads, "
            "and the error comes later, from a shape somewhere inside. The question asks for a "
            "clear one at once."
        ),
        replaced={
            (
                "        if embed_dim % num_heads != 0:\n"
                '            raise ValueError(f"embed_dim {embed_dim} is not '
                'divisible by num_heads {num_heads}")\n'
            ): "",
        },
        price="edge",
    ),
    Misconception(
        name="error_without_the_numbers",
        sentence=(
            "Your error does not say which sizes it is about. Its text should name both numbers."
        ),
        replaced={
            'f"embed_dim {embed_dim} is not divisible by num_heads {num_heads}"': (
                '"sizes do not divide"'
            ),
        },
        price="edge",
    ),
    Misconception(
        name="weights_drawn_in_thirds",
        sentence=(
            "You draw the queries, keys and values of `qkv_proj` as three matrices, whose bound "
            "follows from other sizes. The question asks for each matrix as a whole."
        ),
        replaced={
            "            nn.init.xavier_uniform_(layer.weight)\n": (
                "            for part in layer.weight.data.split(embed_dim):\n"
                "                nn.init.xavier_uniform_(part)\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="mask_of_three_axes_for_sequences",
        sentence=(
            "You take the first axis of a mask of three for the batch. Axes are matched from the "
            "last one, so that it is the axis of the heads."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)\n": (
                "        if mask is not None and mask.dim() == 3:\n"
                "            mask = mask.unsqueeze(1)\n"
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
            )
        },
    ),
    Misconception(
        name="hidden_queries_zeroed",
        sentence=(
            "Where a mask hides a position from all queries, you set its own output to zero. A "
            "mask says which keys are seen: what is hidden still asks."
        ),
        replaced={
            "        output = self.o_proj(values)\n": (
                "        output = self.o_proj(values)\n"
                "        if mask is not None and mask.dim() == 4 and mask.shape[-2] == 1:\n"
                "            output = output * mask[:, 0, 0, :, None]\n"
            )
        },
    ),
    Misconception(
        name="sequences_mixed_with_positions",
        sentence=(
            "You bring the positions before the sequences when you put the heads side by side, so "
            "that sequences get rows of one another. With one sequence nobody notices: follow the "
            "first axis with two."
        ),
        replaced={"values.transpose(1, 2).reshape": "values.permute(2, 0, 1, 3).reshape"},
        price="mathematics",
    ),
    Misconception(
        name="numbers_of_a_head_taken_in_turn",
        sentence=(
            "Within a head you take every third number for the queries. A head's queries, keys "
            "and values lie in blocks, one behind the other: see the figure below the question."
        ),
        replaced={
            "qkv.transpose(1, 2).chunk(3, dim=-1)": (
                "qkv.transpose(1, 2).unflatten(-1, (-1, 3)).unbind(dim=-1)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="axes_for_every_mask",
        sentence=(
            "You put the same new axes in front of every mask, also of one that has an axis for "
            "the batch already. A mask lines up from its last axis, without your help."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)\n": (
                "        if mask is not None:\n"
                "            mask = mask[None, None]\n"
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="heads_averaged",
        sentence=(
            "The attention that you return is the mean over the heads, as `nn.MultiheadAttention` "
            "returns it. Here each head shows a map of its own."
        ),
        replaced={"(output, attention) if": "(output, attention.mean(dim=1)) if"},
        price="edge",
    ),
    Misconception(
        name="mean_for_every_head",
        sentence=(
            "In the attention that you return all heads show their mean. Each head has a map of "
            "its own, the one that made its values."
        ),
        replaced={
            "        output = self.o_proj(values)\n": (
                "        output = self.o_proj(values)\n"
                "        attention = attention.mean(dim=1, keepdim=True).expand_as(attention)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="mask_of_the_first_sequence",
        sentence=(
            "All sequences get the mask of the first. A mask with an axis for the batch has one "
            "for each sequence."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)\n": (
                "        if mask is not None and mask.dim() == 4:\n"
                "            mask = mask[0]\n"
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="first_mask_for_all",
        sentence=(
            "You keep the first of the masks alone and use it for all sequences and heads. A mask "
            "with more than two axes may hide other pairs for each of them."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)\n": (
                "        while mask is not None and mask.dim() > 2:\n"
                "            mask = mask[0]\n"
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="columns_dealt_to_the_heads",
        sentence=(
            "You deal the columns of the projection out to the heads in turn, so that those of a "
            "head lie apart. A head owns columns that stand side by side: see the figure below the "
            "question."
        ),
        replaced={
            "reshape(batch, length, self.num_heads, -1)": (
                "reshape(batch, length, -1, self.num_heads).transpose(2, 3)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="scaled_twice",
        sentence=(
            "You scale the queries before they go into your `scaled_dot_product`, which scales "
            "once more. Once is enough."
        ),
        replaced={
            "scaled_dot_product(q, k, v, mask)": (
                "scaled_dot_product(q / math.sqrt(q.shape[-1]), k, v, mask)"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="causal_without_a_mask",
        sentence=(
            "Where no mask is given you hide what comes later, as a model does that writes word by "
            "word. Without a mask every position may look at all others."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)\n": (
                "        if mask is None:\n"
                "            mask = torch.ones(length, length, dtype=torch.bool).tril()\n"
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="residual_inside",
        sentence=(
            "You add the input to the output where their sizes agree. Attention itself has no "
            "residual connection; the block of question 3 makes it."
        ),
        replaced={
            "        output = self.o_proj(values)\n": (
                "        output = self.o_proj(values)\n"
                "        if output.shape == x.shape:\n"
                "            output = output + x\n"
            )
        },
    ),
    Misconception(
        name="new_axis_for_masks_with_heads",
        sentence=(
            "You give a mask an axis for the heads, or repeat it for each of them, also where it "
            "has one for the heads already. A mask lines up from its last axis, without your help."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)\n": (
                "        if mask is not None and mask.dim() > 2:\n"
                "            mask = mask.unsqueeze(1)\n"
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="mask_of_the_first_head",
        sentence=(
            "Of a mask with an axis for the heads you use the part of the first head for them "
            "all. Such a mask may hide other pairs for each head."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)\n": (
                "        if mask is not None and mask.dim() == 4:\n"
                "            mask = mask[:, :1]\n"
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
            ),
        },
    ),
    Misconception(
        name="keys_and_values_exchanged",
        sentence=(
            "In each head's piece of the projection you take the values for the keys and the "
            "other way round. The order is query, key, value."
        ),
        replaced={
            "q, k, v = qkv": "q, v, k = qkv",
        },
        price="mathematics",
    ),
    Misconception(
        name="three_times_the_size_divided",
        sentence=(
            "You ask whether the width of the stacked projection can be divided among the heads, "
            "which is three times the embedding size. Ask whether the embedding size can."
        ),
        replaced={
            "if embed_dim % num_heads != 0": "if 3 * embed_dim % num_heads != 0",
        },
        price="edge",
    ),
    Misconception(
        name="queries_and_keys_normalised",
        sentence=(
            "You normalise the queries and keys of each head before they are compared, as some "
            "newer models do. Here they are compared as the projection makes them."
        ),
        replaced={
            "        values, attention = scaled_dot_product(q, k, v, mask)\n": (
                "        q, k = (F.layer_norm(part, part.shape[-1:]) for part in (q, k))\n"
                "        values, attention = scaled_dot_product(q, k, v, mask)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_dropped_for_a_batch",
        sentence=(
            "You leave a mask out unless it has four axes. A mask of fewer axes broadcasts over "
            "all that it has not."
        ),
        code="""class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(
                f"embed_dim {embed_dim} cannot be divided by num_heads {num_heads}"
            )
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        nn.init.xavier_uniform_(self.qkv_proj.weight)
        nn.init.xavier_uniform_(self.o_proj.weight)
        nn.init.zeros_(self.qkv_proj.bias)
        nn.init.zeros_(self.o_proj.bias)

    def forward(self, x, mask=None, return_attention=False):
        B, L, _ = x.shape
        qkv = self.qkv_proj(x).reshape(B, L, self.num_heads, -1).transpose(1, 2)
        q, k, v = qkv.chunk(3, dim=-1)
        values, attention = scaled_dot_product(
            q, k, v, mask if B == 1 or mask is None or mask.ndim == 4 else None
        )
        output = self.o_proj(values.transpose(1, 2).flatten(2))
        if return_attention:
            return output, attention
        return output
""",
        price="edge",
    ),
    Misconception(
        name="mask_lost_on_a_fast_way",
        sentence=(
            "Where no attention is asked for, the mask gets lost. What is returned beside the "
            "output changes nothing of it."
        ),
        code="""class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads:
            raise ValueError(
                f"embed_dim={embed_dim} must be a multiple of num_heads={num_heads}"
            )
        self.num_heads, self.head_dim = num_heads, embed_dim // num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        self._reset_parameters()

    def _reset_parameters(self):
        nn.init.xavier_uniform_(self.qkv_proj.weight)
        nn.init.xavier_uniform_(self.o_proj.weight)
        self.qkv_proj.bias.data.fill_(0)
        self.o_proj.bias.data.fill_(0)

    def forward(self, x, mask=None, return_attention=False):
        qkv = self.qkv_proj(x).unflatten(-1, (self.num_heads, 3, self.head_dim))
        q, k, v = (part.transpose(1, 2) for part in qkv.unbind(dim=3))
        if return_attention:
            values, attention = scaled_dot_product(q, k, v, mask)
            return self.o_proj(values.transpose(1, 2).flatten(2)), attention
        values = F.scaled_dot_product_attention(q, k, v)
        return self.o_proj(values.transpose(1, 2).flatten(2))
""",
        price="edge",
    ),
    Misconception(
        name="input_has_to_divide",
        sentence=(
            "You refuse an `input_dim` that the heads do not divide. It is `embed_dim` that is "
            "divided among them."
        ),
        code="""class MultiheadAttention(nn.Module):
    def __init__(self, input_dim, embed_dim, num_heads):
        super().__init__()
        if embed_dim % num_heads != 0 or input_dim % num_heads != 0 and input_dim > embed_dim:
            raise ValueError(
                f"embed_dim {embed_dim} cannot be divided by num_heads {num_heads}"
            )
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.qkv_proj = nn.Linear(input_dim, 3 * embed_dim)
        self.o_proj = nn.Linear(embed_dim, embed_dim)
        for layer in (self.qkv_proj, self.o_proj):
            nn.init.xavier_uniform_(layer.weight)
        for layer in (self.qkv_proj, self.o_proj):
            nn.init.zeros_(layer.bias)

    def forward(self, x, mask=None, return_attention=False):
        B, L, _ = x.shape
        qkv = self.qkv_proj(x).reshape(B, L, self.num_heads, 3 * self.head_dim)
        q, k, v = qkv.transpose(1, 2).chunk(3, dim=-1)
        values, attention = scaled_dot_product(q, k, v, mask)
        output = self.o_proj(values.transpose(1, 2).reshape(B, L, -1))
        if return_attention:
            return output, attention
        return output
""",
    ),
    Misconception(
        name="heads_joined_number_by_number",
        sentence=(
            "You join the heads as one shuffles cards: the first number of each head, then "
            "the second of each. The numbers of one head stay side by side."
        ),
        replaced={
            "values.transpose(1, 2).reshape(batch, length, -1)": (
                "values.permute(0, 2, 3, 1).reshape(batch, length, -1)"
            ),
        },
        price="mathematics",
    ),
]
