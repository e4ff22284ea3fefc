"""Wrong answers to question 13 that students are known to give."""

from autograder.checking import Misconception

HOOKED = (
    "[module.register_forward_pre_hook(with_the_future) for module in modules]",
    "[module.register_forward_hook(hook) for module in modules]",
)
LAST_ROW = (
    "        return *given, mask[..., -1:, :]  # the last query may attend to all but padding"
)

MISCONCEPTIONS = [
    Misconception(
        name="padding_seen_too",
        sentence=(
            "Without its causal mask your model attends to padding as well. Of the mask that "
            "an attention is given, only the future should go; padding stays hidden."
        ),
        replaced={LAST_ROW: "        return *given, None"},
        price="edge",
    ),
    Misconception(
        name="future_alone",
        sentence=(
            "Your mask is turned round: the decoder sees the future and no longer the past. "
            "Without the causal mask it sees both."
        ),
        replaced={LAST_ROW: "        return *given, mask.mT if mask.shape[-2] > 1 else mask"},
        price="edge",
    ),
    Misconception(
        name="mask_of_the_first_query",
        sentence=(
            "You give all queries the mask of the first one, which sees nothing but itself. "
            "Which query of a causal mask has no future?"
        ),
        replaced={"mask[..., -1:, :]": "mask[..., :1, :]"},
        price="edge",
    ),
    Misconception(
        name="hook_after_the_attention",
        sentence=(
            "Your hook for the causal mask is called when the attention has answered, too late "
            "to change what it was given. There is another hook for before."
        ),
        replaced={
            LAST_ROW: "        return None",
        },
        price="edge",
    ),
    Misconception(
        name="whole_answer_taken_out",
        sentence=(
            "You take the attention out, not the residual: the block is left with its input. "
            "The sum in the block should be what the attention answered."
        ),
        replaced={"output - inputs[0], attention": "0 * output, attention"},
        price="edge",
    ),
    Misconception(
        name="residual_added",
        sentence=(
            "Your attention answers with its input added, so that the block has it twice. To "
            "take the residual out, the sum in the block has to lose it."
        ),
        replaced={"output - inputs[0], attention": "output + inputs[0], attention"},
        price="edge",
    ),
    Misconception(
        name="answer_unchanged",
        sentence=(
            "Your hook for the residuals hands on the attention's answer as it is, so the block "
            "adds its input as before."
        ),
        replaced={"output - inputs[0], attention": "output, attention"},
        price="edge",
    ),
    Misconception(
        name="first_module_alone",
        sentence=(
            "You take the part out of the first module that has it. Encoder and decoder have "
            "more of them, and none should keep it."
        ),
        replaced={  # the encoder's first, in whichever order a model makes its parts
            "[module for module in model.modules() if isinstance(module, kind)]": (
                "[module for part in (model.encoding, model.encoder, model.decoder)"
                " for module in part.modules() if isinstance(module, kind)][:1]"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="positions_set_to_zero",
        sentence=(
            "Without positions your model reads nothing: the encoding answers with zeros. It "
            "should hand on the vectors that it was given, with nothing added."
        ),
        replaced={"        return inputs[0]\n": "        return torch.zeros_like(answer)\n"},
        price="edge",
    ),
    Misconception(
        name="residual_cut_from_the_gradient",
        sentence=(
            "The numbers are right, but you subtract a detached copy, so that the gradient "
            "still passes the attention by, as with the residual."
        ),
        replaced={"output - inputs[0], attention": "output - inputs[0].detach(), attention"},
        price="edge",
    ),
    Misconception(
        name="last_handle_alone",
        sentence=(
            "You return one handle, and the other hooks stay for ever. Each hook has a handle "
            "of its own."
        ),
        replaced={line: f"{line}[-1:]" for line in HOOKED},
        price="edge",
    ),
    Misconception(
        name="no_handles_returned",
        sentence=(
            "You return no handles, so nobody can put the part back. `register_forward_hook` "
            "returns one each time."
        ),
        replaced={f"return {line}": f"{line}; return []" for line in HOOKED},
        price="edge",
    ),
    Misconception(
        name="residuals_of_the_decoder_stay",
        sentence=(
            "You take the residuals out of the encoder alone. The blocks of the decoder have "
            "some around their attentions as well, and none should stay."
        ),
        replaced={
            '    if part == "causal mask":\n': (
                '    if part == "residuals":\n'
                "        blocks = [m for m in model.modules() if isinstance(m, EncoderBlock)]\n"
                "        inside = [m for block in blocks for m in block.modules()]\n"
                "        modules = [m for m in inside if isinstance(m, kind)]\n"
                '    if part == "causal mask":\n'
            ),
        },
        price="edge",
    ),
    Misconception(
        name="residuals_of_the_encoder_stay",
        price="edge",
        sentence=(
            "Your model loses the residuals of the decoder alone. Those around the attentions of "
            "the encoder go as well."
        ),
        replaced={
            ('    if part == "causal mask":\n'): (
                '    if part == "residuals":\n'
                "        blocks = [m for m in model.modules() if isinstance(m, DecoderBlock)]\n"
                "        inside = [m for block in blocks for m in block.modules()]\n"
                "        modules = [m for m in inside if isinstance(m, kind)]\n"
                '    if part == "causal mask":\n'
            ),
        },
    ),
    Misconception(
        name="residuals_of_cross_attention_stay",
        price="edge",
        sentence=(
            "You take the residuals around self-attention out, in the encoder and in the decoder. "
            "Around the cross-attention there is one, too."
        ),
        replaced={
            ('    if part == "causal mask":\n'): (
                '    if part == "residuals":\n'
                "        across = [m.cross_attention for m in model.modules()\n"
                "                  if isinstance(m, DecoderBlock)]\n"
                "        modules = [m for m in modules if m not in across]\n"
                '    if part == "causal mask":\n'
            ),
        },
    ),
    Misconception(
        name="masks_of_the_decoder_opened",
        price="edge",
        sentence=(
            "You open every mask of the decoder, those of padding too. Only the future comes "
            "into sight; what was padding stays hidden."
        ),
        replaced={
            (
                "        return *given, mask[..., -1:, :]  # the last query may attend to all "
                "but padding\n"
            ): ("        return *given, torch.ones_like(mask)\n"),
            (
                "    modules = [module for module in model.modules() if isinstance(module, kind)]\n"
            ): (
                "    inside = model.modules()\n"
                '    if part == "causal mask":\n'
                "        blocks = [m for m in model.modules() if isinstance(m, DecoderBlock)]\n"
                "        inside = [m for block in blocks for m in block.modules()]\n"
                "    modules = [module for module in inside if isinstance(module, kind)]\n"
            ),
        },
    ),
    Misconception(
        name="causal_mask_stays_in_evaluation",
        sentence=(
            "You take the causal mask out in training alone. From the call on the model answers "
            "without it in both modes."
        ),
        replaced={
            LAST_ROW: ("        if not module.training:\n            return None\n" + LAST_ROW)
        },
    ),
    Misconception(
        name="handles_of_earlier_calls",
        sentence=(
            "Your list holds the handles of earlier calls, too. A default argument is made once, "
            "for all calls."
        ),
        replaced={
            "def take_out(model, part):": "def take_out(model, part, handles=[]):",
            **{f"return {line}": f"handles += {line}; return handles" for line in HOOKED},
        },
    ),
    Misconception(
        name="weights_of_attention_lost",
        sentence=(
            "Your hook for the residuals returns None in the place of the weights. Somebody may "
            "ask for them, and they stay."
        ),
        replaced={"output - inputs[0], attention": "output - inputs[0], None"},
    ),
    Misconception(
        name="mask_overwritten",
        sentence=(
            "You write into the mask that an attention is given. Whoever made it may use it "
            "elsewhere: hand on another one."
        ),
        replaced={
            LAST_ROW: "        return *given, mask.copy_(mask[..., -1:, :].clone().expand_as(mask))"
        },
    ),
    Misconception(
        name="mask_or_its_mirror_image",
        sentence=(
            "You allow what the mask or its mirror image allows, which shows padding to the "
            "queries before it. Of what is hidden only the future should come into sight."
        ),
        replaced={
            LAST_ROW: (
                "        square = mask.shape[-2] == mask.shape[-1]\n"
                "        return *given, (mask | mask.mT if square else mask)"
            )
        },
        price="edge",
    ),
    Misconception(
        name="residuals_of_the_networks_too",
        sentence=(
            "You also take the residuals around the feed-forward networks out. Only those around "
            "the attentions are to go."
        ),
        replaced={
            "    return [module.register_forward_hook(hook) for module in modules]\n": (
                "    handles = [module.register_forward_hook(hook) for module in modules]\n"
                "    blocks = [m for m in model.modules() if isinstance(m, (EncoderBlock, "
                "DecoderBlock))]\n"
                '    for block in blocks if part == "residuals" else []:\n'
                "        inside = [m for a in block.modules() if isinstance(a, kind) for m "
                "in a.modules()]\n"
                "        layers = [m for m in block.modules() if isinstance(m, nn.Linear) "
                "and m not in inside]\n"
                "        given = []\n"
                "\n"
                "        def note(module, inputs, given=given):\n"
                "            given.append(inputs[0])\n"
                "\n"
                "        def take(module, inputs, answer, given=given):\n"
                "            return answer - given.pop()\n"
                "\n"
                "        handles.append(layers[0].register_forward_pre_hook(note))\n"
                "        handles.append(layers[-1].register_forward_hook(take))\n"
                "    return handles\n"
            )
        },
        price="edge",
    ),
    Misconception(
        name="hooks_for_every_model",
        sentence=(
            "Your hooks act on every model that there is, also on one that should keep the part "
            "or has lost it already. Only the model that you are given should lose it."
        ),
        code="""def take_out(model, part):
    def after(module, inputs, answer):
        if part == "positions" and isinstance(module, PositionalEncoding):
            return inputs[0]
        if part == "residuals" and isinstance(module, MultiHeadAttention):
            return answer[0] - inputs[0], answer[1]

    def before(module, inputs):
        if part == "causal mask" and isinstance(module, MultiHeadAttention):
            *given, mask = inputs
            return *given, mask[..., -1:, :]

    everywhere = nn.modules.module
    return [
        everywhere.register_module_forward_hook(after),
        everywhere.register_module_forward_pre_hook(before),
    ]
""",
        price="edge",
    ),
    Misconception(
        name="keys_subtracted",
        sentence=(
            "You subtract what the keys were made of. The block adds what the attention was asked "
            "with, which is another of its inputs."
        ),
        replaced={"output - inputs[0], attention": "output - inputs[1], attention"},
    ),
    Misconception(
        name="positions_of_the_decoder_stay",
        sentence=(
            "You take the marks out of what the encoder reads, and the decoder still gets them. "
            "Both call the same module."
        ),
        replaced={
            "    def hand_on(module, inputs, answer):\n": (
                "    calls = []\n\n"
                "    def hand_on(module, inputs, answer):\n"
                "        calls.append(1)\n"
                "        if len(calls) % 2 == 0:\n"
                "            return None\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="mask_of_the_last_sentence",
        sentence=(
            "Without the causal mask you give the decoder the mask of the last sentence for the "
            "whole batch. Each sentence has padding of its own, which stays hidden."
        ),
        replaced={
            LAST_ROW: (
                "        mask = mask[-1:, :, -1:, :] if mask.shape[-2] > 1 else mask\n"
                "        return *given, mask"
            )
        },
        price="edge",
    ),
    Misconception(
        name="subtracted_from_whole_blocks",
        sentence=(
            "You subtract the input of a whole block from what it answers, behind its last norm. "
            "The sum that should lose something stands inside, right behind the attention."
        ),
        replaced={
            "        output, attention = answer\n        return output - inputs[0], attention": (
                "        return answer - inputs[0]"
            ),
            'kind = PositionalEncoding if part == "positions" else MultiHeadAttention\n': (
                'kind = PositionalEncoding if part == "positions" else MultiHeadAttention\n'
                '    kind = (EncoderBlock, DecoderBlock) if part == "residuals" else kind\n'
            ),
        },
        price="edge",
    ),
    Misconception(
        name="memory_subtracted_where_lengths_agree",
        sentence=(
            "Where source and target are of one length, you subtract the memory around the second "
            "attention of the decoder. What the block adds there is what the attention was asked "
            "with."
        ),
        replaced={
            "output - inputs[0], attention": (
                "output - inputs[2 if inputs[2].shape == output.shape else 0], attention"
            )
        },
    ),
    Misconception(
        name="padding_of_the_target_seen",
        sentence=(
            "Without the causal mask your decoder attends to padding in what it has written, where "
            "a sentence has some. Each sentence has padding of its own, which stays hidden."
        ),
        replaced={
            LAST_ROW: (
                "        return *given, (torch.ones_like(mask) if mask.shape[-2] > 1 else mask)"
            )
        },
        price="edge",
    ),
    Misconception(
        name="attention_taken_out_too",
        sentence=(
            "Your hook for the residuals answers with the negative of the input alone, so that the "
            "sum in the block loses the attention as well. What the attention answered should be "
            "left."
        ),
        replaced={
            "output - inputs[0]": "0 * output - inputs[0]",
        },
        price="edge",
    ),
    Misconception(
        name="single_position_keeps_its_encoding",
        sentence=(
            "A sequence of one position keeps its encoding. The part is taken out whatever the "
            "length."
        ),
        code="""def take_out(model, part):
    def without_positions(module, inputs, named, answer):
        x = inputs[0] if inputs else named["x"]
        return x if x.shape[1] > 1 else answer

    def without_residual(module, inputs, named, answer):
        asked = inputs[0] if inputs else named["x_q"]
        output, attention = answer
        return output - asked, attention

    def without_future(module, inputs, named):
        inputs, named = list(inputs), dict(named)
        if named.get("mask") is not None:
            named["mask"] = named["mask"][..., -1:, :]
        elif len(inputs) > 3 and inputs[3] is not None:
            inputs[3] = inputs[3][..., -1:, :]
        return tuple(inputs), named

    kind = PositionalEncoding if part == "positions" else MultiHeadAttention
    handles = []
    for module in model.modules():
        if isinstance(module, kind):
            if part == "positions":
                handle = module.register_forward_hook(without_positions, with_kwargs=True)
            elif part == "residuals":
                handle = module.register_forward_hook(without_residual, with_kwargs=True)
            else:
                handle = module.register_forward_pre_hook(without_future, with_kwargs=True)
            handles.append(handle)
    return handles
""",
    ),
    Misconception(
        name="padding_opened_with_the_future",
        sentence=(
            "You let padding be attended to as well, where it lies in the future. Only the future"
            " is opened."
        ),
        code='''def take_out(model, part):
    """Lets a model answer without a part of it, until the handles that it returns are removed."""

    def opened(mask):
        if mask.shape[-2] == 1:
            return mask
        future = torch.ones(mask.shape[-2:], dtype=torch.bool, device=mask.device).triu(1)
        return mask | future

    def no_future(module, args, kwargs):
        args, kwargs = list(args), dict(kwargs)
        if len(args) > 3 and args[3] is not None:
            args[3] = opened(args[3])
        elif kwargs.get("mask") is not None:
            kwargs["mask"] = opened(kwargs["mask"])
        return tuple(args), kwargs

    attentions = [m for m in model.modules() if isinstance(m, MultiHeadAttention)]
    encodings = [m for m in model.modules() if isinstance(m, PositionalEncoding)]
    if part == "positions":
        return [
            m.register_forward_hook(lambda module, given, answer: given[0]) for m in encodings
        ]
    if part == "causal mask":
        return [m.register_forward_pre_hook(no_future, with_kwargs=True) for m in attentions]
    return [
        m.register_forward_hook(lambda module, given, answer: (answer[0] - given[0], answer[1]))
        for m in attentions
    ]
''',
        price="edge",
    ),
    Misconception(
        name="mask_without_its_axis_of_queries",
        sentence=(
            "Your new mask has lost the axis of queries, so that its first axis is taken for that "
            "of the heads. Keep it, with size 1."
        ),
        replaced={"mask[..., -1:, :]": "mask.any(dim=-2)"},
        price="edge",
    ),
    Misconception(
        name="part_written_into_the_model",
        sentence=(
            "You keep at the model which part is missing, so that a second part takes the place "
            "of the first one. Each hook knows its own."
        ),
        code="""
def take_out(model, part):
    model.missing = part

    def hand_on(module, inputs, answer):
        return inputs[0] if model.missing == "positions" else None

    def without_residual(module, inputs, answer):
        return (answer[0] - inputs[0], *answer[1:]) if model.missing == "residuals" else None

    def open_mask(module, inputs):
        *given, mask = inputs
        return (*given, mask[..., -1:, :]) if model.missing == "causal mask" else None

    handles = []
    for module in model.modules():
        if isinstance(module, PositionalEncoding) and part == "positions":
            handles.append(module.register_forward_hook(hand_on))
        elif isinstance(module, MultiHeadAttention) and part == "residuals":
            handles.append(module.register_forward_hook(without_residual))
        elif isinstance(module, MultiHeadAttention) and part == "causal mask":
            handles.append(module.register_forward_pre_hook(open_mask))
    return handles
""",
        price="edge",
    ),
]
