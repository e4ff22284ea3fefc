"""The wrong numbers become zero, or they cannot be given back."""

from autograder.checking import Misconception

COLUMNS = "heads[..., (head - 1) * size : head * size] = 0"
HOOKED = "model.encoder.layer[layer - 1].attention.self.register_forward_hook(silence)"

MISCONCEPTIONS = [
    Misconception(
        name="heads_counted_from_zero",
        price="mathematics",
        sentence=(
            "You silence the head after the one that is meant: heads count from 1 here, and "
            "columns from 0. Which columns has the first head?"
        ),
        replaced={COLUMNS: "heads[..., head * size : (head + 1) * size] = 0"},
    ),
    Misconception(
        name="layers_counted_from_zero",
        price="mathematics",
        sentence=(
            "You silence a head of the layer after the one that is meant: layers count from 1 "
            "here, and lists from 0."
        ),
        replaced={"layer[layer - 1]": "layer[layer % len(model.encoder.layer)]"},
    ),
    Misconception(
        name="every_other_number",
        price="mathematics",
        sentence=(
            "You set numbers to zero that are spread over all heads. The columns of one head lie "
            "side by side, as in question 6."
        ),
        replaced={COLUMNS: "heads[..., head - 1 :: model.config.num_attention_heads] = 0"},
    ),
    Misconception(
        name="all_other_heads",
        price="mathematics",
        sentence=(
            "You silence all heads but the one that is meant. Its own columns should be zero, and "
            "those of the others as they were."
        ),
        replaced={
            "heads = answer[0].clone()  # (N, L, D)": "heads = torch.zeros_like(answer[0])",
            COLUMNS: (
                "own = slice((head - 1) * size, head * size)\n"
                "        heads[..., own] = answer[0][..., own]"
            ),
        },
    ),
    Misconception(
        name="whole_layer",
        price="mathematics",
        sentence=(
            "You silence all heads of the layer. Only the columns of the one that is meant "
            "should be zero."
        ),
        replaced={COLUMNS: "heads[:] = 0"},
    ),
    Misconception(
        name="positions_for_columns",
        price="mathematics",
        sentence=(
            "You set positions to zero, for all heads, since your slice is on the axis of the "
            "positions. Which axis holds the heads side by side?"
        ),
        replaced={COLUMNS: "heads[:, (head - 1) * size : head * size] = 0"},
    ),
    Misconception(
        name="after_the_last_layer_of_the_attention",
        price="mathematics",
        sentence=(
            "You set columns of what the layers after the heads answer to zero, where the heads "
            "are mixed already. The head has to be silent before."
        ),
        replaced={
            HOOKED: "model.encoder.layer[layer - 1].attention.output.dense."
            "register_forward_hook(silence)",
            "heads = answer[0].clone()": "heads = answer.clone()",
            "return heads, *answer[1:]": "return heads",
        },
    ),
    Misconception(
        name="nothing_silent",
        price="mathematics",
        sentence=(
            "With your hook in place the model answers as before. What a hook returns stands in "
            "for the answer, and of this answer the layer goes on with the first part."
        ),
        replaced={"return heads, *answer[1:]": "return None"},
    ),
    Misconception(
        name="in_every_layer",
        price="mathematics",
        sentence="You silence the head of this number in every layer. Only one layer is meant.",
        replaced={
            f"return {HOOKED}": (
                "handles = [one.attention.self.register_forward_hook(silence) "
                "for one in model.encoder.layer]\n"
                "    return handles[layer - 1]"
            )
        },
    ),
    Misconception(
        name="mean_for_zero",
        price="mathematics",
        sentence=(
            "You put the mean over the positions in the place of the head's output. That is "
            "another way of silencing it; the question asks for zeros."
        ),
        replaced={
            COLUMNS: (
                "own = heads[..., (head - 1) * size : head * size]\n"
                "        own[:] = own.mean(dim=1, keepdim=True)"
            )
        },
    ),
    Misconception(
        name="gradient_cut_off",
        price="learning",
        sentence=(
            "The numbers are right, but no gradient comes back through the other heads: "
            "somewhere your hook cuts it off."
        ),
        replaced={"answer[0].clone()": "answer[0].detach().clone()"},
    ),
    Misconception(
        name="weights_of_the_model_erased",
        price="mathematics",
        sentence=(
            "You set parameters of the model to zero. The question wants them left as they are, "
            "and a hook that changes what passes by."
        ),
        replaced={
            "    return model.encoder": (
                "    with torch.no_grad():\n"
                "        part = model.encoder.layer[layer - 1].attention.output.dense\n"
                "        part.weight[:, (head - 1) * size : head * size] = 0\n"
                "    return model.encoder"
            )
        },
    ),
    Misconception(
        name="no_handle_returned",
        price="edge",
        sentence=(
            "You return no handle, so nobody can give the head back. `register_forward_hook` "
            "returns one."
        ),
        replaced={f"return {HOOKED}": HOOKED},
    ),
    Misconception(
        name="first_part_of_the_answer_alone",
        price="mathematics",
        sentence=(
            "Your hook returns one tensor where the module answers with several, and the layer "
            "takes it apart. What a hook returns stands in for the whole answer."
        ),
        replaced={"return heads, *answer[1:]": "return heads"},
    ),
    Misconception(
        name="attention_weights_left_out",
        price="edge",
        sentence=(
            "Your hook gives back the heads and `None`, so that the model can no longer tell its "
            "attention. The layer answered with more: pass it on."
        ),
        replaced={"return heads, *answer[1:]": "return heads, None"},
    ),
    Misconception(
        name="columns_kept_at_the_module",
        price="edge",
        sentence=(
            "You keep in one place, at the module or under a global name, which columns are "
            "silent, where the next call overwrites it, so that of two heads of a layer only one "
            "is silent. Each hook has to know its own."
        ),
        replaced={
            COLUMNS: "heads[..., slice(*module.silent)] = 0",
            f"    return {HOOKED}": (
                "    attention = model.encoder.layer[layer - 1].attention.self\n"
                "    attention.silent = ((head - 1) * size, head * size)\n"
                "    return attention.register_forward_hook(silence)"
            ),
        },
    ),
    Misconception(
        name="silent_in_evaluation_only",
        sentence=(
            "Your head is silent in evaluation mode only. It is silent until its handle is removed."
        ),
        replaced={
            "        heads = answer[0].clone()": (
                "        if module.training:\n"
                "            return None\n"
                "        heads = answer[0].clone()"
            )
        },
    ),
    Misconception(
        name="layers_counted_beyond_the_last",
        price="mathematics",
        sentence=(
            "You take the number of a layer for its place in the list, where the last one is not "
            "found. Layers and heads count from 1 here, and lists and columns from 0."
        ),
        replaced={"layer[layer - 1]": "layer[layer]"},
    ),
    Misconception(
        name="size_of_a_head_fixed",
        price="mathematics",
        sentence=(
            "You take the size of a head from the model of the notebook. Another model has heads "
            "of another size, which its `config` tells."
        ),
        replaced={
            "size = model.config.hidden_size // model.config.num_attention_heads": "size = 16"
        },
    ),
    Misconception(
        name="queries_or_keys_silenced",
        price="mathematics",
        sentence=(
            "You set the head's queries or keys to zero, so that it looks at all tokens alike, but "
            "it still answers. What it puts out is to be zero."
        ),
        replaced={
            "heads = answer[0].clone()": "heads = answer.clone()",
            "return heads, *answer[1:]": "return heads",
            HOOKED: HOOKED.replace(".self.", ".self.query."),
        },
    ),
    Misconception(
        name="first_sentence_alone",
        price="mathematics",
        sentence=(
            "You silence the head in the first sentence of the batch alone. Which of your indices "
            "is that of the sentences?"
        ),
        replaced={COLUMNS: "heads[0, :, (head - 1) * size : head * size] = 0"},
    ),
    Misconception(
        name="others_made_louder",
        sentence=(
            "You make the other heads larger to make up for the silent one, as dropout does. They "
            "are to answer as before."
        ),
        replaced={
            "heads[..., (head - 1) * size : head * size] = 0": (
                "number = model.config.num_attention_heads\n"
                "        heads = heads * (number / (number - 1))\n"
                "        heads[..., (head - 1) * size : head * size] = 0"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="layers_and_heads_counted_from_zero",
        price="mathematics",
        sentence=(
            "You silence the wrong head of the wrong layer: both count from 1 here, lists and "
            "columns from 0."
        ),
        replaced={
            COLUMNS: "heads[..., head * size : (head + 1) * size] = 0",
            "layer[layer - 1]": "layer[min(layer, len(model.encoder.layer) - 1)]",
        },
    ),
    Misconception(
        name="rest_of_the_answer_lost",
        price="mathematics",
        sentence=(
            "Your hook does not return all parts of the answer, and the layer misses what came "
            "after the heads. What a hook returns stands in for the whole answer."
        ),
        replaced={"return heads, *answer[1:]": "return (heads,)"},
    ),
    Misconception(
        name="in_the_layers_before_too",
        price="mathematics",
        sentence=(
            "You silence the head of this number in all layers up to the one that is meant, and "
            "the handle gives back only the last. One layer is meant."
        ),
        replaced={
            f"return {HOOKED}": (
                "handles = [one.attention.self.register_forward_hook(silence) "
                "for one in model.encoder.layer[:layer]]\n"
                "    return handles[-1]"
            )
        },
    ),
    Misconception(
        name="first_token_alone",
        price="mathematics",
        sentence=(
            "You silence the head at the first token alone, whose vector is often taken for the "
            "whole sentence. It should be silent at all positions."
        ),
        replaced={COLUMNS: "heads[:, 0, (head - 1) * size : head * size] = 0"},
    ),
    Misconception(
        name="hooks_of_others_removed",
        sentence=(
            "You take away the hooks that are there before you add yours, and a head that was "
            "silent speaks again. Several heads can be silent at once, each until its own handle "
            "is removed."
        ),
        replaced={
            "    return model.encoder": (
                "    model.encoder.layer[layer - 1].attention.self._forward_hooks.clear()\n"
                "    return model.encoder"
            ),
        },
    ),
    Misconception(
        name="hook_removes_itself",
        sentence=(
            "Your hook is gone before its own handle is removed: it removes itself, or another "
            "handle removes more than its own. The head stays silent until then."
        ),
        code="""def silence_head(model, layer, head):
    part = model.encoder.layer[layer - 1].attention.self
    size = model.config.hidden_size // model.config.num_attention_heads

    def hook(module, inputs, answer):
        context = answer[0].clone()
        context[..., (head - 1) * size : head * size] = 0
        handle.remove()
        return (context, *answer[1:])

    handle = part.register_forward_hook(hook)
    return handle
""",
        price="edge",
    ),
    Misconception(
        name="residual_silenced",
        sentence=(
            "You set columns of the residual to zero, too. Only what the head puts out is silenced."
        ),
        code="""def silence_head(model, layer, head):
    width = model.config.hidden_size // model.config.num_attention_heads
    columns = slice((head - 1) * width, head * width)

    def before(module, inputs):
        changed = []
        for x in inputs:
            x = x.clone()
            x[..., columns] = 0
            changed.append(x)
        return tuple(changed)

    return model.encoder.layer[layer - 1].attention.output.register_forward_pre_hook(before)
""",
        price="mathematics",
    ),
    Misconception(
        name="map_of_the_head_zeroed",
        price="edge",
        sentence=(
            "You set the attention weights of the head to zero, too. Only what it puts out is to "
            "be silent: what it looked at can still be asked."
        ),
        code="""def silence_head(model, layer, head):
    width = model.config.hidden_size // model.config.num_attention_heads
    start = width * (head - 1)

    def hook(module, inputs, outputs):
        mixed, maps, *rest = outputs
        mixed = mixed.clone()
        mixed[:, :, start : start + width] = 0
        if maps is not None:
            maps = maps.clone()
            maps[:, head - 1] = 0
        return (mixed, maps, *rest)

    return model.encoder.layer[layer - 1].attention.self.register_forward_hook(hook)
""",
    ),
    Misconception(
        name="buffer_left_behind",
        price="edge",
        sentence=(
            "You register a buffer at the model, which stays in its state_dict when the handle is "
            "removed. The hook can keep what it needs in a variable of its own."
        ),
        code="""def silence_head(model, layer, head):
    width = model.config.hidden_size // model.config.num_attention_heads
    part = model.encoder.layer[layer - 1].attention.self
    kept = torch.ones_like(part.query.weight[0].detach())
    kept[width * (head - 1) : width * head] = 0
    part.register_buffer(f"kept_{head}", kept)

    def hook(module, inputs, outputs):
        return (outputs[0] * getattr(module, f"kept_{head}"), *outputs[1:])

    return part.register_forward_hook(hook)
""",
    ),
]
