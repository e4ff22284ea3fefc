"""Known wrong answers to `cross_attention`."""

from __future__ import annotations

from autograder.checking import Misconception

QUERY = "self.query = nn.Linear(x_input_dim, key_dim)"
KEY = "self.key = nn.Linear(y_input_dim, key_dim)"
VALUE = "self.value = nn.Linear(y_input_dim, output_dim)"
QUERY_OF_Y = "self.query = nn.Linear(y_input_dim, key_dim)"
KEY_OF_X = "self.key = nn.Linear(x_input_dim, key_dim)"
VALUE_OF_X = "self.value = nn.Linear(x_input_dim, output_dim)"
CALL = "output, _ = attention(self.query(x), self.key(y), self.value(y))"
ANEW = "Do you write the formula out again, or does a cell of yours define `attention` anew?"


def _without(layer: str) -> dict[str, str]:
    return {f"        {layer}\n": ""}


def _written_out(weights: str) -> dict[str, str]:
    """The formula in place of the call of `attention`."""
    scores = "scores = self.query(x) @ self.key(y).transpose(-2, -1)"
    return {CALL: f"{scores}\n        output = {weights} @ self.value(y)"}


MISCONCEPTIONS = [
    Misconception(
        "queries_from_y",
        "You exchanged the two sequences: your queries come from y, keys and values from x. The "
        "output has one row for each position of the sequence that asks.",
        {
            QUERY: QUERY_OF_Y,
            KEY: KEY_OF_X,
            VALUE: VALUE_OF_X,
            CALL: "output, _ = attention(self.query(y), self.key(x), self.value(x))",
        },
        price="mathematics",
    ),
    Misconception(
        "x_attends_to_itself",
        "You make all three from x, so y is never looked at. Ask for each layer which sequence it "
        "reads.",
        {
            KEY: KEY_OF_X,
            VALUE: VALUE_OF_X,
            "self.key(y)": "self.key(x)",
            "self.value(y)": "self.value(x)",
        },
        price="mathematics",
    ),
    Misconception(
        "y_attends_to_itself",
        "You make all three from y, so x is never looked at. Ask for each layer which sequence it "
        "reads.",
        {QUERY: QUERY_OF_Y, "self.query(x)": "self.query(y)"},
        price="mathematics",
    ),
    Misconception(
        "keys_from_x",
        "You make the keys from x and the values from y, so a weight that belongs to a position of "
        "x falls on a value of y. A key and its value come from the same position.",
        {KEY: KEY_OF_X, "self.key(y)": "self.key(x)"},
        price="mathematics",
    ),
    Misconception(
        "values_from_x",
        "You make the values from x and the keys from y, so a weight that belongs to a position of "
        "y falls on a value of x. A key and its value come from the same position.",
        {VALUE: VALUE_OF_X, "self.value(y)": "self.value(x)"},
        price="mathematics",
    ),
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
        "softmax_over_queries",
        f"The softmax runs over the positions of x here. {ANEW}",
        _written_out("torch.softmax(scores / math.sqrt(self.query.out_features), dim=1)"),
        price="mathematics",
    ),
    Misconception(
        "keys_and_values_share_a_layer",
        "You make keys and values by the same layer, so the output has the size of the keys. Each "
        "of the three has a layer of its own.",
        {"self.value(y)": "self.key(y)", **_without(VALUE)},
        price="mathematics",
    ),
    Misconception(
        "values_are_y",
        "You mix y itself, so the output has the size of its vectors. The formula has a third "
        "layer, for the values.",
        {"self.value(y)": "y", **_without(VALUE)},
        price="mathematics",
    ),
    Misconception(
        "sizes_exchanged",
        "Your queries and keys have the size of the output and your values that of the keys. Ask "
        "which layer decides the size of the output.",
        {
            QUERY: "self.query = nn.Linear(x_input_dim, output_dim)",
            KEY: "self.key = nn.Linear(y_input_dim, output_dim)",
            VALUE: "self.value = nn.Linear(y_input_dim, key_dim)",
        },
        price="mathematics",
    ),
    Misconception(
        "key_dim_ignored",
        "All three of your layers have the size of the output, and key_dim is not used. Ask which "
        "two of the three share a size of their own.",
        {
            QUERY: "self.query = nn.Linear(x_input_dim, output_dim)",
            KEY: "self.key = nn.Linear(y_input_dim, output_dim)",
        },
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
            QUERY: "self.key_dim = key_dim",
            CALL: "query = nn.Linear(x.shape[-1], self.key_dim)\n"
            "        key = nn.Linear(y.shape[-1], self.key_dim)\n"
            "        value = nn.Linear(y.shape[-1], self.output_dim)\n"
            "        output, _ = attention(query(x), key(y), value(y))",
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
        "y_cut_to_the_length_of_x",
        "You cut y to the length of x, so what y holds further on is never looked at. The two "
        "sequences may have different lengths, and attention copes with that by itself.",
        {CALL: f"y = y[:, : x.shape[1]]\n        {CALL}"},
        price="mathematics",
    ),
    Misconception(
        "one_layer_where_sizes_agree",
        "Where x and y have vectors of the same size, you make queries and keys by one and the "
        "same layer. Each of the three has a layer of its own, whatever the sizes are.",
        {
            KEY: "same_size = x_input_dim == y_input_dim\n"
            "        self.key = self.query if same_size else nn.Linear(y_input_dim, key_dim)"
        },
        price="edge",
    ),
    Misconception(
        name="memory_of_the_first_sequence",
        price="mathematics",
        sentence=(
            "You take the keys and values of the first sequence of the batch for all. Each "
            "sequence of x has its own y to look at."
        ),
        replaced={
            ("self.key(y), self.value(y)"): (
                "self.key(y[:1]).expand(len(y), -1, -1), self.value(y[:1]).expand(len(y), -1, -1)"
            ),
        },
    ),
    Misconception(
        "single_precision_on_the_way",
        "A tensor on the way is in single precision even where the module and its input are "
        "in double. Keep to the dtype of the input wherever you convert a tensor or make one.",
        {CALL: f"x, y = x.float(), y.float()\n        {CALL}"},
        price="edge",
    ),
    Misconception(
        "y_filled_up_to_the_length_of_x",
        "You fill y up with zeros to the length of x, and these made-up positions get weight, "
        "too. The two sequences may have different lengths, and attention copes with that by "
        "itself.",
        {
            CALL: "missing = max(x.shape[1] - y.shape[1], 0)\n"
            f"        y = nn.functional.pad(y, (0, 0, 0, missing))\n        {CALL}"
        },
        price="edge",
    ),
    Misconception(
        "input_added",
        "You add x, or a part of it, to what attention returns. Residual connections come "
        "in the next assignment; the formula here has none.",
        {"return output": "return output + x[..., : output.shape[-1]]"},
        price="mathematics",
    ),
    Misconception(
        "queries_added",
        "You add the queries to what attention returns, so the output is more than a mixture of "
        "values. The formula has no such sum.",
        {"return output": "return output + self.query(x)"},
        price="mathematics",
    ),
    Misconception(
        "x_looked_at_too",
        "Where x and y have vectors of the same size, the positions of x are looked at as well "
        "as those of y. Keys and values come from one of the two sequences only.",
        {
            CALL: "seen = torch.cat([x, y], dim=1) if x.shape[-1] == y.shape[-1] else y\n"
            "        output, _ = attention(self.query(x), self.key(seen), self.value(seen))"
        },
        price="edge",
    ),
    Misconception(
        "later_positions_of_y_hidden",
        "You hide positions of y by their number, as if those further on were the future of x. "
        "There is no before and after between two sequences: all of y may be looked at.",
        _written_out(
            "torch.softmax((scores / math.sqrt(self.query.out_features)).masked_fill("
            "torch.ones_like(scores).triu(1) > 0, -math.inf), dim=-1)"
        ),
        price="mathematics",
    ),
    Misconception(
        "inputs_normalised",
        "You normalise the two sequences before queries, keys and values are made, as some "
        "whole blocks do around their attention. The formula takes x and y as they are.",
        {
            CALL: "x, y = (nn.functional.layer_norm(z, z.shape[-1:]) for z in (x, y))\n"
            f"        {CALL}",
        },
        price="mathematics",
    ),
    Misconception(
        "keys_and_values_exchanged",
        "You hand over the values where the keys belong and the keys where the values belong. "
        "Look at the order of the arguments of `attention`.",
        {
            CALL: "output, _ = attention(self.query(x), self.value(y), self.key(y))",
        },
        price="mathematics",
    ),
    Misconception(
        "value_layer_of_y_reads_x",
        "Your layer for the values has the size of y and reads x, which works only where both "
        "have vectors of one size. Keys and values come from the same sequence.",
        {
            CALL: "output, _ = attention(self.query(x), self.key(y), self.value(x))",
        },
        price="mathematics",
    ),
    Misconception(
        name="zero_rows_replaced",
        sentence=("You replace rows of zeros by other vectors. Zeros are an input like any other."),
        code="""class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.q_proj = nn.Linear(x_input_dim, key_dim)
        self.k_proj = nn.Linear(y_input_dim, key_dim)
        self.v_proj = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        q = self.q_proj(x)
        y = torch.where((y == 0).all(-1, keepdim=True), y.mean(1, keepdim=True), y)
        k = self.k_proj(y)
        v = self.v_proj(y)
        return attention(q, k, v)[0]
""",
        price="edge",
    ),
    Misconception(
        name="one_position_expanded",
        sentence=(
            "Where one input has a single position you expand it to the length of the other. "
            "There is one row of output for each query, also where there is one query."
        ),
        code="""class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.q_proj = nn.Linear(x_input_dim, key_dim)
        self.k_proj = nn.Linear(y_input_dim, key_dim)
        self.v_proj = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        missing = y.shape[1] - x.shape[1]
        if missing > 0 and x.shape[1] == 1:
            x = x.expand(-1, y.shape[1], -1)
        q = self.q_proj(x)
        k = self.k_proj(y)
        v = self.v_proj(y)
        return attention(q, k, v)[0]
""",
    ),
    Misconception(
        name="queries_scaled_beforehand",
        sentence=(
            "You scale the queries before `attention`, which divides the scores itself. So they "
            "are divided twice."
        ),
        code="""class CrossAttention(nn.Module):
    def __init__(self, x_input_dim, y_input_dim, key_dim, output_dim):
        super().__init__()
        self.output_dim = output_dim
        self.scaling = key_dim**-0.5
        self.q_proj = nn.Linear(x_input_dim, key_dim)
        self.k_proj = nn.Linear(y_input_dim, key_dim)
        self.v_proj = nn.Linear(y_input_dim, output_dim)

    def forward(self, x, y):
        query_states = self.q_proj(x) * self.scaling
        key_states = self.k_proj(y)
        value_states = self.v_proj(y)
        attn_output, attn_weights = attention(query_states, key_states, value_states)
        return attn_output
""",
        price="mathematics",
    ),
]
