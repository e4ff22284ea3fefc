"""Known wrong answers to `self_attention`.

Queries and keys exchanged are none of them: the layers differ in name alone.
"""

from __future__ import annotations

from autograder.checking import Misconception

QUERY = "self.query = nn.Linear(input_dim, key_dim)"
KEY = "self.key = nn.Linear(input_dim, key_dim)"
VALUE = "self.value = nn.Linear(input_dim, output_dim)"
CALL = "output, _ = attention(self.query(x), self.key(x), self.value(x))"
ANEW = "Do you write the formula out again, or does a cell of yours define `attention` anew?"


def _without(layer: str) -> dict[str, str]:
    return {f"        {layer}\n": ""}


def _written_out(weights: str) -> dict[str, str]:
    """The formula in place of the call of `attention`."""
    scores = "scores = self.query(x) @ self.key(x).transpose(-2, -1)"
    return {CALL: f"{scores}\n        output = {weights} @ self.value(x)"}


MISCONCEPTIONS = [
    Misconception(
        "scores_not_scaled",
        f"The scores are not scaled here, so the weights are too sharp. {ANEW}",
        _written_out("torch.softmax(scores, dim=-1)"),
        price="mathematics",
    ),
    Misconception(
        "scaled_by_value_size",
        f"The scale of the scores follows from the size of the values here. {ANEW}",
        _written_out("torch.softmax(scores / math.sqrt(self.output_dim), dim=-1)"),
        price="mathematics",
    ),
    Misconception(
        "scaled_twice",
        "You scale the queries before you hand them to `attention`, which scales the scores "
        "itself. Decide on one place.",
        {"self.query(x)": "self.query(x) / math.sqrt(self.query.out_features)"},
        price="mathematics",
    ),
    Misconception(
        "softmax_over_queries",
        f"The softmax runs over the queries here. {ANEW}",
        _written_out("torch.softmax(scores / math.sqrt(self.query.out_features), dim=1)"),
        price="mathematics",
    ),
    Misconception(
        "queries_and_keys_share_a_layer",
        "You make queries and keys by the same layer, so a position looks for just what it is "
        "found by, and mostly at itself. Each of the three has a layer of its own.",
        {"self.key(x)": "self.query(x)", **_without(KEY)},
        price="mathematics",
    ),
    Misconception(
        "keys_and_values_share_a_layer",
        "You make keys and values by the same layer, so the output has the size of the keys. Each "
        "of the three has a layer of its own.",
        {"self.value(x)": "self.key(x)", **_without(VALUE)},
        price="mathematics",
    ),
    Misconception(
        "one_layer_for_all",
        "You make queries, keys and values by one and the same layer, so they are all equal. Each "
        "of the three has a layer of its own.",
        {
            **_without(KEY),
            **_without(VALUE),
            QUERY: "self.query = nn.Linear(input_dim, output_dim)",
            CALL: "output, _ = attention(self.query(x), self.query(x), self.query(x))",
        },
        price="mathematics",
    ),
    Misconception(
        "values_are_the_input",
        "You mix the input itself, so the output has its size. The formula has a third layer, "
        "for the values.",
        {"self.value(x)": "x", **_without(VALUE)},
        price="mathematics",
    ),
    Misconception(
        "sizes_exchanged",
        "Your queries and keys have the size of the output and your values that of the keys. Ask "
        "which layer decides the size of the output.",
        {
            QUERY: "self.query = nn.Linear(input_dim, output_dim)",
            KEY: "self.key = nn.Linear(input_dim, output_dim)",
            VALUE: "self.value = nn.Linear(input_dim, key_dim)",
        },
        price="mathematics",
    ),
    Misconception(
        "key_dim_ignored",
        "All three of your layers have the size of the output, and key_dim is not used. Ask which "
        "two of the three share a size of their own.",
        {
            QUERY: "self.query = nn.Linear(input_dim, output_dim)",
            KEY: "self.key = nn.Linear(input_dim, output_dim)",
        },
        price="mathematics",
    ),
    Misconception(
        "values_of_key_dim",
        "All three of your layers have the size of the keys, so the output has it too. Ask which "
        "layer decides the size of the output.",
        {VALUE: "self.value = nn.Linear(input_dim, key_dim)"},
        price="mathematics",
    ),
    Misconception(
        "no_bias",
        "Your layers have no bias. The formula adds one to each product; a linear layer has it "
        "unless you take it away.",
        {line: f"{line[:-1]}, bias=False)" for line in (QUERY, KEY, VALUE)},
        price="edge",
    ),
    Misconception(
        "layers_made_in_forward",
        "You make the layers anew in each call, so their weights are random every time and can "
        "never be trained. Layers are made once, where the module is made.",
        {
            **_without(KEY),
            **_without(VALUE),
            QUERY: "self.sizes = (key_dim, key_dim, output_dim)",
            CALL: "layers = [nn.Linear(x.shape[-1], size) for size in self.sizes]\n"
            "        output, _ = attention(*[layer(x) for layer in layers])",
        },
        price="learning",
    ),
    Misconception(
        "layers_in_a_plain_list",
        "You keep the layers in a plain list or dictionary, where PyTorch does not see them: no "
        "optimizer will find their parameters. Give each an attribute, or use a list that PyTorch "
        "knows.",
        {
            QUERY: "self.layers = [nn.Linear(input_dim, key_dim), nn.Linear(input_dim, key_dim)]",
            **_without(KEY),
            VALUE: "self.layers.append(nn.Linear(input_dim, output_dim))",
            CALL: "output, _ = attention(*[layer(x) for layer in self.layers])",
        },
        price="learning",
    ),
    Misconception(
        "weights_returned",
        "You return the attention weights. Of the two things that `attention` returns, this module "
        "passes on the other.",
        {"output, _ =": "_, output ="},
        price="mathematics",
    ),
    Misconception(
        "weights_returned_too",
        "You return all that `attention` returns. This module passes on one of the two, as a "
        "single tensor.",
        {"output, _ =": "output ="},
        price="mathematics",
    ),
    Misconception(
        "attends_over_the_batch",
        "You exchange the axes of batch and positions, so a position looks at other sequences and "
        "not at its own. In this course the batch comes first everywhere.",
        {
            CALL: "x = x.transpose(0, 1)\n        "
            "output = attention(self.query(x), self.key(x), self.value(x))[0].transpose(0, 1)"
        },
        price="mathematics",
    ),
    Misconception(
        "input_added",
        "You add the input, or a part of it, to what attention returns. Residual connections come "
        "in the next assignment; the formula here has none.",
        {"return output": "return output + x[..., : output.shape[-1]]"},
        price="mathematics",
    ),
    Misconception(
        "gradient_cut_off",
        "No gradient reaches your layers of queries and keys, so they would never learn. Look "
        "for a step that leaves the graph of gradients.",
        {"self.query(x), self.key(x)": "self.query(x).detach(), self.key(x).detach()"},
        price="learning",
    ),
    Misconception(
        "single_precision_on_the_way",
        "A tensor on the way is in single precision even where the module and its input are "
        "in double. Keep to the dtype of the input wherever you convert a tensor or make one.",
        {CALL: f"x = x.float()\n        {CALL}"},
        price="edge",
    ),
    Misconception(
        "batch_made_one_sequence",
        "You lay all sequences of the batch end to end, so a position looks at other sequences as "
        "well. Each sequence looks at itself alone.",
        {
            CALL: "flat = x.reshape(1, -1, x.shape[-1])\n"
            "        output = attention(self.query(flat), self.key(flat), self.value(flat))[0]\n"
            "        output = output.reshape(*x.shape[:2], -1)"
        },
        price="mathematics",
    ),
    Misconception(
        "positions_marked_inside",
        "You mark the positions inside of the module, so the order of a sequence matters here. "
        "The formula has no marks: they are added by the encoder in front.",
        {
            QUERY: f"self.places = PositionalEncoder(input_dim)\n        {QUERY}",
            CALL: f"x = self.places(x)\n        {CALL}",
        },
        price="mathematics",
    ),
    Misconception(
        "future_hidden",
        "You hide the positions that come after a position's own, as models that write do. Here "
        "every position looks at the whole sequence; a mask is the topic of the bonus.",
        _written_out(
            "torch.softmax((scores / math.sqrt(self.query.out_features)).masked_fill("
            "torch.ones_like(scores).triu(1) > 0, -math.inf), dim=-1)"
        ),
        price="mathematics",
    ),
    Misconception(
        "scaled_by_input_size",
        f"The scale of the scores follows from the size of x here. {ANEW}",
        _written_out("torch.softmax(scores / math.sqrt(x.shape[-1]), dim=-1)"),
        price="mathematics",
    ),
    Misconception(
        "input_normalised",
        "You normalise the input before its queries, keys and values are made, as some whole "
        "blocks do around their attention. The formula takes x as it is.",
        {
            CALL: f"x = nn.functional.layer_norm(x, x.shape[-1:])\n        {CALL}",
        },
        price="mathematics",
    ),
    Misconception(
        "values_averaged",
        "You take the plain mean of the values, so all positions get the same output. How "
        "much a value counts is for the queries and keys to decide.",
        {
            CALL: "output = self.value(x).mean(dim=1, keepdim=True).expand(-1, x.shape[1], -1)",
        },
        price="mathematics",
    ),
    Misconception(
        "keys_made_of_the_queries",
        "You make the keys from the queries, so that two layers stand one behind the other. "
        "All three layers read x itself.",
        {
            CALL: (
                "query = self.query(x)\n"
                "        output, _ = attention(query, self.key(query), self.value(x))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="size_of_the_keys_as_output",
        sentence=(
            "`output_dim` holds the size of the keys. It is that of the vectors that come out."
        ),
        code="""class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.input_dim, self.output_dim = input_dim, key_dim
        self.to_q = nn.Linear(input_dim, key_dim)
        self.to_k = nn.Linear(input_dim, key_dim)
        self.to_v = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        y, _weights = attention(self.to_q(x), self.to_k(x), self.to_v(x))
        return y
""",
        price="edge",
    ),
    Misconception(
        name="blocks_of_a_fixed_length",
        sentence=(
            "You cut long sequences into blocks that attend to themselves alone. Every position "
            "attends to all others, however long the sequence."
        ),
        code="""class SelfAttention(nn.Module):
    BLOCK = 256

    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.w_q = nn.Linear(input_dim, key_dim)
        self.w_k = nn.Linear(input_dim, key_dim)
        self.w_v = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        parts = []
        for piece in x.split(self.BLOCK, dim=1):  # saves memory
            parts.append(attention(self.w_q(piece), self.w_k(piece), self.w_v(piece))[0])
        return torch.cat(parts, dim=1)
""",
    ),
    Misconception(
        name="queries_of_one_number_normalised",
        sentence=(
            "Where `key_dim` is 1 you bring queries and keys to unit length, so that nothing but "
            "their sign is left. The formula is the same for every size."
        ),
        code="""class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.key_dim = key_dim
        self.query = nn.Linear(input_dim, key_dim)
        self.key = nn.Linear(input_dim, key_dim)
        self.value = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        if self.key_dim == 1:
            q, k = nn.functional.normalize(q, dim=-1), nn.functional.normalize(k, dim=-1)
        return attention(q, k, v)[0]
""",
    ),
    Misconception(
        name="rows_of_zeros_left_out",
        sentence=(
            "You leave positions out that are all zero, as if they were padding. Nobody says that"
            " they are: zeros are numbers like any others."
        ),
        code="""class SelfAttention(nn.Module):
    def __init__(self, input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.q = nn.Linear(input_dim, key_dim)
        self.k = nn.Linear(input_dim, key_dim)
        self.v = nn.Linear(input_dim, output_dim)

    def forward(self, x):
        keep = (x != 0).any(-1)
        rows = []
        for xi, ki in zip(x, keep):
            kept = xi[ki] if ki.any() else xi
            o, _ = attention(self.q(xi)[None], self.k(kept)[None], self.v(kept)[None])
            rows.append(o[0])
        return torch.stack(rows)
""",
        price="edge",
    ),
]
