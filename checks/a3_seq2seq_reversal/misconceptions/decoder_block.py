"""Wrong answers to question 7 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="memory_asks",
        sentence=(
            "The queries of your second attention come from the memory, so there is one "
            "output for each position of the source. The decoder should ask, and the memory "
            "answer."
        ),
        replaced={
            (
                "self.cross_attention(x, memory, memory, cross_mask)\n"
                "        x = self.cross_norm(x + told)"
            ): ("self.cross_attention(memory, x, x)\n        x = self.cross_norm(memory + told)"),
        },
        price="mathematics",
    ),
    Misconception(
        name="looks_at_itself_twice",
        sentence=(
            "Your second attention looks at the decoder itself again, so the model never "
            "sees what it should translate. Keys and values come from the memory."
        ),
        replaced={
            "self.cross_attention(x, memory, memory, cross_mask)": (
                "self.cross_attention(x, x, x, self_mask)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="masks_swapped",
        sentence=(
            "You give each attention the mask that belongs to the other. One has the length "
            "of the target on both sides, the other that of the source."
        ),
        replaced={
            "(x, x, x, self_mask)": "(x, x, x, cross_mask)",
            "(x, memory, memory, cross_mask)": "(x, memory, memory, self_mask)",
        },
        price="mathematics",
    ),
    Misconception(
        name="self_mask_forgotten",
        sentence=(
            "Your first attention gets no mask, so each position sees the ones after it, "
            "and with them its own answer. Hand on the mask that hides the future."
        ),
        replaced={
            "self.self_attention(x, x, x, self_mask)": "self.self_attention(x, x, x)",
        },
        price="mathematics",
    ),
    Misconception(
        name="cross_mask_forgotten",
        sentence=(
            "Your second attention gets no mask, so it looks at the padding of the source. "
            "Look at its last argument."
        ),
        replaced={
            "self.cross_attention(x, memory, memory, cross_mask)": (
                "self.cross_attention(x, memory, memory)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="no_residual_around_cross_attention",
        sentence=(
            "What the decoder had is lost at the second attention, since you do not add its "
            "input. A residual connection goes around each of the three parts."
        ),
        replaced={
            "self.cross_norm(x + told)": "self.cross_norm(told)",
        },
        price="mathematics",
    ),
    Misconception(
        name="residual_from_the_start",
        sentence=(
            "You add the input of the whole block to what the second attention found, not "
            "what the first half had made of it. Look at which letter stands inside of the "
            "second norm."
        ),
        replaced={
            (
                "x = self.self_norm(x + written)\n"
                "        told, _ = self.cross_attention(x, memory, memory, cross_mask)"
            ): (
                "a = self.self_norm(x + written)\n"
                "        told, _ = self.cross_attention(a, memory, memory, cross_mask)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="memory_first",
        sentence=(
            "You look at the memory first and at what is written second. The order of the "
            "two matters, since the second sees what the first has found."
        ),
        replaced={
            (
                "written, _ = self.self_attention(x, x, x, self_mask)\n"
                "        x = self.self_norm(x + written)\n"
                "        told, _ = self.cross_attention(x, memory, memory, cross_mask)\n"
                "        x = self.cross_norm(x + told)"
            ): (
                "told, _ = self.cross_attention(x, memory, memory, cross_mask)\n"
                "        x = self.cross_norm(x + told)\n"
                "        written, _ = self.self_attention(x, x, x, self_mask)\n"
                "        x = self.self_norm(x + written)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="one_attention_for_both",
        sentence=(
            "You use the same attention for the decoder itself and for the memory, so one "
            "set of weights has to do two different things. The formula has two of them."
        ),
        replaced={
            "self.cross_attention = MultiHeadAttention(d_model, num_heads)": (
                "self.cross_attention = self.self_attention"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="pre_norm",
        sentence=(
            "You normalise the input of each part, not the sum after it: that is pre-norm. "
            "This course builds post-norm, where the norm comes last."
        ),
        replaced={
            (
                "written, _ = self.self_attention(x, x, x, self_mask)\n"
                "        x = self.self_norm(x + written)\n"
                "        told, _ = self.cross_attention(x, memory, memory, cross_mask)\n"
                "        x = self.cross_norm(x + told)\n"
                "        return self.feed_forward_norm(x + self.feed_forward(x))"
            ): (
                "h = self.self_norm(x)\n"
                "        x = x + self.self_attention(h, h, h, self_mask)[0]\n"
                "        x = x + self.cross_attention(self.cross_norm(x), memory, memory, "
                "cross_mask)[0]\n"
                "        return x + self.feed_forward(self.feed_forward_norm(x))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="memory_asked_with_the_input",
        sentence=(
            "You ask the memory with what came into the block, not with what the first "
            "attention made of it. See what stands in the formula of c."
        ),
        replaced={
            (
                "        x = self.self_norm(x + written)\n"
                "        told, _ = self.cross_attention(x, memory, memory, cross_mask)"
            ): (
                "        told, _ = self.cross_attention(x, memory, memory, cross_mask)\n"
                "        x = self.self_norm(x + written)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="memory_asks_under_the_mask",
        sentence=(
            "In your second attention the memory makes the queries, and keys and values come from "
            "the decoder. The decoder should ask, and the memory answer."
        ),
        replaced={
            "self.cross_attention(x, memory, memory, cross_mask)": (
                "self.cross_attention(memory, x, x, cross_mask)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="causal_mask_of_its_own",
        sentence=(
            "Where no mask comes for the first attention, your block makes a causal one. Without "
            "a mask everything may be seen: whoever calls the block decides."
        ),
        replaced={
            "        written, _ = self.self_attention(": (
                "        if self_mask is None:\n"
                "            self_mask = causal_mask(x.shape[1]).to(x.device)\n"
                "        written, _ = self.self_attention("
            ),
        },
        price="mathematics",
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
        name="self_mask_in_training_alone",
        sentence=(
            "Your first attention uses its mask in training alone. When the model writes, earlier "
            "positions must not see later ones either: a block answers alike in both modes."
        ),
        replaced={"(x, x, x, self_mask)": "(x, x, x, self_mask if self.training else None)"},
    ),
    Misconception(
        name="values_from_the_decoder",
        sentence=(
            "In your second attention the memory gives the keys, and the decoder the values. What "
            "is found has to hand something over: both come from the memory."
        ),
        replaced={
            "self.cross_attention(x, memory, memory, cross_mask)": (
                "self.cross_attention(x, memory, x, cross_mask)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="causal_always",
        sentence=(
            "Your first attention hides the future by itself, whatever mask it is given. Who may "
            "see what is decided by whoever calls the block."
        ),
        replaced={
            "        written, _ = self.self_attention(": (
                "        causal = causal_mask(x.shape[1]).to(x.device)\n"
                "        self_mask = causal if self_mask is None else self_mask & causal\n"
                "        written, _ = self.self_attention("
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="memory_normalised_again",
        sentence=(
            "You normalise the memory before you look at it. The formula takes it as it is, and "
            "the encoder has normalised it already."
        ),
        replaced={
            "        told, _ = self": (
                "        memory = nn.functional.layer_norm(memory, memory.shape[-1:])\n"
                "        told, _ = self"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="self_mask_for_the_memory_too",
        sentence=(
            "Where the second attention gets no mask of its own, you give it the one of the first. "
            "That one tells who comes before whom in the target, and says nothing of the source."
        ),
        replaced={
            "        told, _ = self": (
                "        fits = self_mask is not None and self_mask.shape[-1] == memory.shape[1]\n"
                "        if cross_mask is None and fits:\n"
                "            cross_mask = self_mask\n"
                "        told, _ = self"
            ),
        },
    ),
    Misconception(
        name="residuals_from_the_start",
        sentence=(
            "All three sums add the input of the whole block. What is added is what that part of "
            "the block was given, which is another vector each time."
        ),
        replaced={
            (
                "x = self.self_norm(x + written)\n"
                "        told, _ = self.cross_attention(x, memory, memory, cross_mask)\n"
                "        x = self.cross_norm(x + told)\n"
                "        return self.feed_forward_norm(x + self.feed_forward(x))"
            ): (
                "a = self.self_norm(x + written)\n"
                "        told, _ = self.cross_attention(a, memory, memory, cross_mask)\n"
                "        b = self.cross_norm(x + told)\n"
                "        return self.feed_forward_norm(x + self.feed_forward(b))"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="both_masks_for_the_memory",
        sentence=(
            "Where source and target are of one length, your second attention gets both masks. "
            "The source stands there as a whole: it has no future, only padding."
        ),
        replaced={
            "        told, _ = self": (
                "        both = cross_mask is not None and self_mask is not None\n"
                "        if both and self_mask.shape[-1] == memory.shape[1]:\n"
                "            cross_mask = cross_mask & self_mask\n"
                "        told, _ = self"
            ),
        },
    ),
    Misconception(
        name="memory_through_the_second_norm",
        sentence=(
            "You pass the memory through the norm of the second sum before you look at it. The "
            "formula takes the memory as it is, and a norm has one place."
        ),
        replaced={
            "        told, _ = self": (
                "        memory = self.cross_norm(memory)\n        told, _ = self"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="causal_on_top_of_the_mask",
        sentence=(
            "Where your first attention gets a mask, you hide the future on top of what the mask "
            "hides. The mask that comes in says all: whoever makes it decides about the future."
        ),
        replaced={
            "        written, _ = self.self_attention(": (
                "        if self_mask is not None:\n"
                "            self_mask = self_mask & causal_mask(x.shape[1]).to(x.device)\n"
                "        written, _ = self.self_attention("
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="values_from_the_decoder_where_lengths_agree",
        sentence=(
            "Where source and target are of one length, the values of your second attention come "
            "from the decoder. Keys and values both come from the memory, whatever the lengths."
        ),
        replaced={
            "        told, _ = self.cross_attention(x, memory, memory, cross_mask)": (
                "        values = x if x.shape[1] == memory.shape[1] else memory\n"
                "        told, _ = self.cross_attention(x, memory, values, cross_mask)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="cross_mask_with_the_self_mask_alone",
        sentence=(
            "Your second attention gets its mask only where the first one has a mask, too. The "
            "two have nothing to do with each other: either may come alone."
        ),
        replaced={
            "        told, _ = self.cross_attention(x, memory, memory, cross_mask)": (
                "        own = None if self_mask is None else cross_mask\n"
                "        told, _ = self.cross_attention(x, memory, memory, own)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="memory_asks_where_sizes_agree",
        sentence=(
            "Where source and target are of one length, the memory asks and the decoder answers. "
            "The queries of the second attention come from the decoder, whatever the lengths."
        ),
        replaced={
            "        told, _ = self.cross_attention(x, memory, memory, cross_mask)": (
                "        asks, answers = (memory, x) if memory.shape == x.shape else (x, memory)\n"
                "        told, _ = self.cross_attention(asks, answers, answers, cross_mask)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="last_residual_from_before_the_memory",
        sentence=(
            "Your last sum adds what stood before the attention to the memory, so that what was "
            "found there goes on through the feed-forward network alone. Look at which letter "
            "stands inside of the third norm."
        ),
        replaced={
            (
                "        x = self.cross_norm(x + told)\n"
                "        return self.feed_forward_norm(x + self.feed_forward(x))"
            ): (
                "        asked = self.cross_norm(x + told)\n"
                "        return self.feed_forward_norm(x + self.feed_forward(asked))"
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


class DecoderBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = MultiHeadAttention(d_model, num_heads)
        self.source_attention = MultiHeadAttention(d_model, num_heads)
        self.first = nn.Linear(d_model, d_ff)
        self.second = nn.Linear(d_ff, d_model)
        self.norm1 = Norm(d_model)
        self.norm2 = Norm(d_model)
        self.norm3 = Norm(d_model)

    def forward(self, x, memory, self_mask=None, cross_mask=None):
        x = self.norm1(x + self.attention(x, x, x, self_mask)[0])
        x = self.norm2(x + self.source_attention(x, memory, memory, cross_mask)[0])
        return self.norm3(x + self.second(self.first(x).relu()))
""",
        price="mathematics",
    ),
    Misconception(
        name="second_norm_for_the_third",
        sentence=(
            "You use the second norm twice and the third never. Each sum has a norm of its own."
        ),
        replaced={"self.feed_forward_norm(x +": "self.cross_norm(x +"},
        price="mathematics",
    ),
    Misconception(
        name="second_attention_never_used",
        sentence=(
            "You make two attentions and use one of them for both: for the decoder itself and for "
            "the memory. The other one never learns."
        ),
        replaced={"told, _ = self.cross_attention(": "told, _ = self.self_attention("},
        price="mathematics",
    ),
    Misconception(
        name="values_of_a_normalised_memory",
        sentence=(
            "The values come from the memory after a norm, the keys from the memory itself. The "
            "formula takes the memory as it is for both."
        ),
        replaced={"memory, memory, cross_mask)": "memory, self.cross_norm(memory), cross_mask)"},
        price="mathematics",
    ),
]
