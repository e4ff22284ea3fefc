"""Wrong answers to question 11 that students are known to give."""

from autograder.checking import Misconception

SLICED = (
    "    layers = len(attentions) // 3"
    "  # an encoder block has one attention, a decoder block two\n"
    "    return found[layers + 1 :: 2]"
)

MISCONCEPTIONS = [
    Misconception(
        name="attention_to_itself",
        sentence=(
            "You return what the decoder attends to in its own past. In each block of the "
            "decoder the attention to the source is the second that answers."
        ),
        replaced={"found[layers + 1 :: 2]": "found[layers::2]"},
        price="mathematics",
    ),
    Misconception(
        name="encoder_counted_in",
        sentence=(
            "You take every other attention of the whole model, those of the encoder among "
            "them. They answer first, and there are as many of them as layers."
        ),
        replaced={"found[layers + 1 :: 2]": "found[1::2]"},
        price="mathematics",
    ),
    Misconception(
        name="all_attentions",
        sentence=(
            "You return the weights of every attention in the model. Of each block of the "
            "decoder only the attention to the source is asked for."
        ),
        replaced={"found[layers + 1 :: 2]": "found"},
        price="mathematics",
    ),
    Misconception(
        name="last_layer_alone",
        sentence=(
            "Your list holds the weights of one layer of the decoder only. There should be a "
            "tensor for each of them."
        ),
        replaced={"found[layers + 1 :: 2]": "found[-1:]"},
        price="mathematics",
    ),
    Misconception(
        name="layers_backwards",
        sentence=(
            "Your list begins with the last layer of the decoder. The weights of the first "
            "block come first."
        ),
        replaced={"found[layers + 1 :: 2]": "found[layers + 1 :: 2][::-1]"},
        price="mathematics",
    ),
    Misconception(
        name="heads_averaged",
        sentence=(
            "You return the mean over the heads. Each head attends for itself, and each has "
            "weights of its own."
        ),
        replaced={"found.append(answer[1])": "found.append(answer[1].mean(dim=1))"},
        price="mathematics",
    ),
    Misconception(
        name="first_sequence_alone",
        sentence=(
            "You keep the weights of the first sequence of the batch only. There are N sequences."
        ),
        replaced={"found.append(answer[1])": "found.append(answer[1][0])"},
        price="mathematics",
    ),
    Misconception(
        name="outputs_kept",
        sentence=(
            "Your hook keeps the output of the attention. An attention answers with a pair, "
            "and the weights are its second part."
        ),
        replaced={"found.append(answer[1])": "found.append(answer[0])"},
        price="mathematics",
    ),
    Misconception(
        name="source_first",
        sentence=(
            "Your tables have the source in their rows. The queries, which come from the "
            "decoder, are the rows, and the source the columns."
        ),
        replaced={"found.append(answer[1])": "found.append(answer[1].mT)"},
        price="mathematics",
    ),
    Misconception(
        name="target_shifted_again",
        sentence=(
            "You shift the target before the model reads it. What is handed over is already "
            "what the decoder reads."
        ),
        replaced={"    model(src, tgt)\n": "    model(src, shift_right(tgt, 1))\n"},
        price="mathematics",
    ),
    Misconception(
        name="hooks_left_behind",
        sentence=(
            "You do not remove your hooks, so each of them goes on collecting whenever the "
            "model runs. `register_forward_hook` returns a handle."
        ),
        replaced={"        handle.remove()": "        pass"},
        price="edge",
    ),
    Misconception(
        name="model_put_into_evaluation_mode",
        sentence=(
            "You put the model into evaluation mode and leave it there. Whoever calls your "
            "function finds another model than before."
        ),
        replaced={"    model(src, tgt)\n": "    model.eval()\n    model(src, tgt)\n"},
        price="surroundings",
    ),
    Misconception(
        name="layers_fixed",
        sentence=(
            "Your slice fits a model of two layers alone. Where the attentions of the decoder "
            "begin follows from how many layers there are."
        ),
        replaced={
            "layers = len(attentions) // 3": "layers = 2",
        },
        price="mathematics",
    ),
    Misconception(
        name="told_by_the_shape",
        sentence=(
            "You know the attention to the source by the shape of its weights, and where source "
            "and target are of one length all others have that shape too. Go by what a module is, "
            "or by when it answers."
        ),
        replaced={
            "        found.append(answer[1])\n": (
                "        if answer[1].shape[-2:] == (tgt.shape[1], src.shape[1]):\n"
                "            found.append(answer[1])\n"
            ),
            SLICED: "    return found",
        },
        price="edge",
    ),
    Misconception(
        name="all_hooks_cleared",
        sentence=(
            "You take away every hook that you find, also those that somebody else has put on "
            "the model. A handle removes its own hook and no other."
        ),
        replaced={
            "    for handle in handles:\n        handle.remove()\n": (
                "    for part in attentions:\n        part._forward_hooks.clear()\n"
            ),
        },
    ),
    Misconception(
        name="weights_of_earlier_calls_too",
        sentence=(
            "Your list still holds the weights of the calls before: a default argument is made "
            "once, with the function, and not anew for each call."
        ),
        replaced={
            "def cross_attention(model, src, tgt):": (
                "def cross_attention(model, src, tgt, weights=[]):"
            ),
            "    return found[layers + 1 :: 2]": (
                "    weights += found[layers + 1 :: 2]\n    return list(weights)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="empty_columns_cut",
        sentence=(
            "You leave out the columns at which nobody looks. There is one for each token of the "
            "source, padding too."
        ),
        replaced={
            "    return found[layers + 1 :: 2]\n": (
                "    real = (src != 0).any(dim=0)\n"
                "    return [weights[..., real] for weights in found[layers + 1 :: 2]]\n"
            )
        },
    ),
    Misconception(
        name="attention_exchanged_for_good",
        sentence=(
            "You put a recorder in the place of a class's own function, and leave it there. A hook "
            "of a module can be removed again."
        ),
        replaced={
            "    attentions = [": (
                "    plain = MultiHeadAttention.forward\n\n"
                "    def recording(self, *given, **named):\n"
                "        return plain(self, *given, **named)\n\n"
                "    MultiHeadAttention.forward = recording\n"
                "    attentions = ["
            )
        },
    ),
    Misconception(
        name="last_answers_alone",
        sentence=(
            "You return the weights of the attentions that answer last. A block of the decoder has "
            "two attentions, so among the last there are some that look at the decoder itself."
        ),
        replaced={"found[layers + 1 :: 2]": "found[2 * layers :]"},
        price="mathematics",
    ),
    Misconception(
        name="mean_of_the_heads_for_each",
        sentence=(
            "Every head of yours has the mean of the weights of all heads. Each head attends for "
            "itself."
        ),
        replaced={
            "found.append(answer[1])": (
                "found.append(answer[1].mean(dim=1, keepdim=True).expand_as(answer[1]))"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="both_padded_to_one_length",
        sentence=(
            "You pad source and target to the same length, and the maps are as wide and as high "
            "as the longer one. Each has its own length."
        ),
        code="""def cross_attention(model, src, tgt):
    maps = []

    def keep(module, inputs, answer):
        maps.append(answer[1])

    parts = [part for part in model.modules() if isinstance(part, MultiHeadAttention)]
    handles = [part.register_forward_hook(keep) for part in parts]
    try:
        missing = max(src.shape[1] - tgt.shape[1], 0)
        model(src, nn.functional.pad(tgt, (0, missing)))
    finally:
        for handle in handles:
            handle.remove()
    layers = len(maps) // 3
    return [weights[..., : src.shape[1]] for weights in maps[layers + 1 :: 2]]
""",
        price="mathematics",
    ),
]
