"""Loops that read, feed, end or pad wrongly."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="first_position_read",
        price="mathematics",
        sentence=(
            "You read the next token off the first position, which knows the start token alone. "
            "Only the last position knows all that has been written."
        ),
        replaced={"logits[:, -1:]": "logits[:, :1]"},
    ),
    Misconception(
        name="last_token_alone_fed",
        price="mathematics",
        sentence=(
            "You show the decoder only the token that it wrote last, so it does not know what "
            "came before. Its input grows with every step."
        ),
        replaced={"decoder_input_ids=ids": "decoder_input_ids=ids[:, -1:]"},
    ),
    Misconception(
        name="ends_with_the_first_sentence",
        price="mathematics",
        sentence=(
            "You stop as soon as one sentence of the batch has ended, and cut the others short. "
            "Go on until all have."
        ),
        replaced={"not ended.all()": "not ended.any()"},
    ),
    Misconception(
        name="ended_by_the_start_token",
        price="edge",
        sentence=(
            "You look for the end token in the whole row, and some models start with it: their "
            "sentences are over before they begin. Ask only what was written last."
        ),
        replaced={
            "        ended = ended | (best == config.eos_token_id)\n": "",
            "ids = torch.cat([ids, best], dim=1)": (
                "ids = torch.cat([ids, best], dim=1)\n"
                "        ended = (ids == config.eos_token_id).any(dim=1, keepdim=True)"
            ),
        },
    ),
    Misconception(
        name="written_on_after_the_end",
        price="mathematics",
        sentence=(
            "Your rows go on with words after their end token, as long as another sentence of the "
            "batch is not over. What follows the end should be padding."
        ),
        replaced={"best = best.masked_fill(ended, config.pad_token_id)": "pass"},
    ),
    Misconception(
        name="end_padded_over",
        price="mathematics",
        sentence=(
            "Your padding stands where the end token should be, since it begins with the end "
            "itself. Look at the order of the two steps."
        ),
        replaced={
            "best = best.masked_fill(ended, config.pad_token_id)": (
                "ended = ended | (best == config.eos_token_id)"
            ),
            "        ended = ended | (best == config.eos_token_id)\n        ids": (
                "        best = best.masked_fill(ended, config.pad_token_id)\n        ids"
            ),
        },
    ),
    Misconception(
        name="start_cut_off",
        price="mathematics",
        sentence=(
            "Your rows begin with the first word. The question wants the start token in front "
            "of it, as the library returns it."
        ),
        replaced={"return ids": "return ids[:, 1:]"},
    ),
    Misconception(
        name="mask_left_out",
        price="mathematics",
        sentence=(
            "You do not hand the attention mask on, so the model reads the padding of the source "
            "as if it were words."
        ),
        replaced={"attention_mask=attention_mask, ": ""},
    ),
    Misconception(
        name="least_probable_token",
        price="mathematics",
        sentence="You take the token with the smallest logit. The most probable has the largest.",
        replaced={"argmax(dim=-1)": "argmin(dim=-1)"},
    ),
    Misconception(
        name="token_drawn_at_random",
        price="mathematics",
        sentence=(
            "You draw the next token at random, by its probability. To decode greedily is to take "
            "the most probable one."
        ),
        replaced={
            "found.logits[:, -1:].argmax(dim=-1)": (
                "torch.multinomial(found.logits[:, -1].softmax(dim=-1), 1)"
            )
        },
    ),
    Misconception(
        name="never_ends_early",
        price="edge",
        sentence=(
            "You go on up to max_length although every sentence has ended. Look after each step "
            "whether one is left that has not."
        ),
        replaced={" and not ended.all()": ""},
    ),
    Misconception(
        name="one_token_more",
        price="edge",
        sentence=(
            "Your rows have one token more than max_length allows. The start token counts as well."
        ),
        replaced={"ids.shape[1] < max_length": "ids.shape[1] <= max_length"},
    ),
    Misconception(
        name="started_with_padding",
        price="edge",
        sentence=(
            "You start with the padding token. In T5 the start token has the same id; in another "
            "model it has one of its own, and `config` knows it."
        ),
        replaced={"config.decoder_start_token_id": "config.pad_token_id"},
    ),
    Misconception(
        name="end_of_t5_fixed",
        price="edge",
        sentence=(
            "You start with the id that `config` gives, but end and padding have the ids that "
            "they have in T5. Another model may have others for these, too."
        ),
        replaced={"config.pad_token_id": "0", "config.eos_token_id": "1"},
    ),
    Misconception(
        name="ids_of_t5_fixed",
        price="edge",
        sentence=(
            "Your special tokens have the ids that they have in T5. Another model may have "
            "others: ask its `config`."
        ),
        replaced={
            "config.decoder_start_token_id": "0",
            "config.pad_token_id": "0",
            "config.eos_token_id": "1",
        },
    ),
    Misconception(
        name="ended_by_padding",
        price="edge",
        sentence=(
            "A sentence ends in your loop when the model writes its padding token, too. Only the "
            "end token ends one; the other may come before it."
        ),
        replaced={
            "ended | (best == config.eos_token_id)": (
                "ended | (best == config.eos_token_id) | (best == config.pad_token_id)"
            ),
        },
    ),
    Misconception(
        name="padding_forbidden",
        price="edge",
        sentence=(
            "You forbid the model a token, its padding, though it may be the most probable one. "
            "Take the best of all."
        ),
        replaced={
            "        best = found.logits[:, -1:].argmax(dim=-1)": (
                "        last = found.logits[:, -1:].clone()\n"
                "        last[..., config.pad_token_id] = -math.inf\n"
                "        best = last.argmax(dim=-1)"
            ),
        },
    ),
    Misconception(
        name="padding_in_the_decoder",
        sentence=(
            "You hand the decoder rows of full length, in which padding stands where nothing is "
            "written yet. It should read what has been written so far, and no more."
        ),
        replaced={
            "found = model(": (
                "empty = ids.new_full((len(ids), max_length - ids.shape[1]), config.pad_token_id)\n"
                "        found = model("
            ),
            "decoder_input_ids=ids)": "decoder_input_ids=torch.cat([ids, empty], dim=1))",
            "logits[:, -1:]": "logits[:, ids.shape[1] - 1 : ids.shape[1]]",
        },
    ),
    Misconception(
        name="asked_for_a_tuple",
        sentence=(
            "You ask the model for more than the text does, by a further input or for an answer "
            "of another kind. It has the three inputs that the text names, and its answer has "
            "`logits`."
        ),
        replaced={
            "decoder_input_ids=ids)": "decoder_input_ids=ids, return_dict=False)",
            "found.logits": "found[0]",
        },
    ),
    Misconception(
        name="library_writes",
        price="mathematics",
        sentence=(
            "You let the library's `generate` write. The point of the question is the loop, and "
            "nothing of the model is there but its call and its `config`."
        ),
        code="""
def greedy_decode(model, input_ids, attention_mask, max_length):
    return model.generate(
        input_ids=input_ids,
        attention_mask=attention_mask,
        max_length=max_length,
        num_beams=1,
        do_sample=False,
    )
""",
    ),
    Misconception(
        name="padded_to_max_length",
        price="edge",
        sentence=(
            "Your rows are always max_length long, filled up with padding. They end where the last "
            "sentence of the batch has ended."
        ),
        replaced={
            "    return ids": (
                "    empty = max_length - ids.shape[1]\n"
                "    return nn.functional.pad(ids, (0, empty), value=config.pad_token_id)"
            ),
        },
    ),
    Misconception(
        name="padding_and_start_forbidden",
        price="edge",
        sentence=(
            "You forbid the model its padding and the token that it starts with, though one of "
            "them may be the most probable. Take the best of all."
        ),
        replaced={
            "        best = found.logits[:, -1:].argmax(dim=-1)": (
                "        last = found.logits[:, -1:].clone()\n"
                "        special = [config.pad_token_id, config.decoder_start_token_id]\n"
                "        last[..., special] = -math.inf\n"
                "        best = last.argmax(dim=-1)"
            ),
        },
    ),
    Misconception(
        name="encoder_called_by_itself",
        sentence=(
            "You call the encoder by itself, so that it works once only. That is sensible, but the "
            "text names all that a model has here: a call with three inputs, and its `config`."
        ),
        replaced={
            "    while ids": (
                "    memory = model.get_encoder()(\n"
                "        input_ids=input_ids, attention_mask=attention_mask\n"
                "    )\n"
                "    while ids"
            ),
            "model(input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=ids)": (
                "model(\n"
                "            encoder_outputs=memory, attention_mask=attention_mask,\n"
                "            decoder_input_ids=ids,\n"
                "        )"
            ),
        },
    ),
    Misconception(
        name="no_token_twice_in_a_row",
        price="mathematics",
        sentence=(
            "You forbid the model the token that it wrote last. A token may well come twice: "
            "greedy is to take the most probable one, always."
        ),
        replaced={
            "        best = found.logits[:, -1:].argmax(dim=-1)": (
                "        last = found.logits[:, -1]\n"
                "        if ids.shape[1] > 1:\n"
                "            last = last.scatter(1, ids[:, -1:], -math.inf)\n"
                "        best = last.argmax(dim=-1, keepdim=True)"
            ),
        },
    ),
    Misconception(
        name="rows_of_full_length_from_the_start",
        sentence=(
            "You make rows of full length at once, hand the decoder all of them at every step, "
            "and return them with the padding behind. Rows grow with what is written, and end "
            "with the last end."
        ),
        code="""def greedy_decode(model, input_ids, attention_mask, max_length):
    config = model.config
    ids = input_ids.new_full((len(input_ids), max_length), config.pad_token_id)
    ids[:, 0] = config.decoder_start_token_id
    ended = torch.zeros_like(ids[:, 0], dtype=torch.bool)
    for place in range(1, max_length):
        found = model(input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=ids)
        best = found.logits[:, place - 1].argmax(dim=-1)
        ids[:, place] = best.masked_fill(ended, config.pad_token_id)
        ended = ended | (ids[:, place] == config.eos_token_id)
        if ended.all():
            break
    return ids
""",
    ),
    Misconception(
        name="device_of_the_model",
        sentence=(
            "You ask the model for its device. The text names all that a model has here, its "
            "call and its `config`: make your tensors where the ids are that came in."
        ),
        replaced={
            "torch.full_like(input_ids[:, :1], config.decoder_start_token_id)": (
                "torch.full(\n"
                "        (len(input_ids), 1), config.decoder_start_token_id, device=model.device\n"
                "    )"
            ),
        },
    ),
    Misconception(
        name="last_tokens_only",
        sentence=(
            "You show the decoder the last tokens only. It has to see all that was written before."
        ),
        code="""@torch.no_grad()
def greedy_decode(model, input_ids, attention_mask, max_length):
    config = model.config
    n = input_ids.shape[0]
    ids = torch.full(
        (n, 1), config.decoder_start_token_id, dtype=torch.long, device=input_ids.device
    )
    over = torch.zeros(n, dtype=torch.bool, device=input_ids.device)
    while ids.shape[1] < max_length and not over.all():
        out = model(
            input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=ids[:, -16:]
        )
        new = out.logits[:, -1].argmax(dim=-1)
        new = torch.where(over, torch.full_like(new, config.pad_token_id), new)
        ids = torch.cat([ids, new[:, None]], dim=1)
        over = over | (new == config.eos_token_id)
    return ids
""",
    ),
    Misconception(
        name="no_end_at_first",
        sentence=(
            "You do not let a sentence end at once. The first token that the model writes may be "
            "the end."
        ),
        code="""@torch.no_grad()
def greedy_decode(model, input_ids, attention_mask, max_length):
    c = model.config
    ids = input_ids.new_full((input_ids.size(0), 1), c.decoder_start_token_id)
    over = torch.zeros_like(ids, dtype=torch.bool)
    for step in range(1, max_length):
        z = model(
            input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=ids
        ).logits
        z = z[:, -1:].clone()
        if step == 1:
            z[..., c.eos_token_id] = -math.inf
        token = z.argmax(dim=-1)
        token[over] = c.pad_token_id
        ids = torch.cat([ids, token], dim=1)
        over = over | (token == c.eos_token_id)
        if bool(over.all()):
            break
    return ids
""",
        price="edge",
    ),
    Misconception(
        name="stops_when_repeated",
        sentence=(
            "You end a sentence that says a token several times. What ends it is the end token, "
            "or `max_length`."
        ),
        code="""@torch.no_grad()
def greedy_decode(model, input_ids, attention_mask, max_length):
    cfg = model.config
    ids = torch.full(
        (input_ids.shape[0], 1), cfg.decoder_start_token_id, device=input_ids.device
    )
    done = torch.zeros(input_ids.shape[0], dtype=torch.bool, device=input_ids.device)
    while ids.shape[1] < max_length and not done.all():
        logits = model(
            input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=ids
        ).logits[:, -1]
        token = logits.argmax(dim=-1)
        token = torch.where(done, cfg.pad_token_id, token)
        ids = torch.cat([ids, token[:, None]], dim=1)
        done = done | (token == cfg.eos_token_id)
        if ids.shape[1] > 3:  # the model is stuck
            done = done | (ids[:, -3:] == ids[:, -1:]).all(dim=1)
    return ids
""",
        price="edge",
    ),
    Misconception(
        name="config_overwritten",
        sentence=(
            "You write `max_length` into the config of the model, which is not yours and keeps "
            "it. Compare with the argument."
        ),
        code="""@torch.no_grad()
def greedy_decode(model, input_ids, attention_mask, max_length):
    model.config.max_length = max_length
    ids = torch.full(
        (input_ids.size(0), 1), model.config.decoder_start_token_id, device=input_ids.device
    )
    done = torch.zeros(input_ids.size(0), dtype=torch.bool, device=input_ids.device)
    while ids.size(1) < model.config.max_length and not done.all():
        out = model(input_ids=input_ids, attention_mask=attention_mask, decoder_input_ids=ids)
        token = out.logits[:, -1].argmax(-1).masked_fill(done, model.config.pad_token_id)
        done = done | token.eq(model.config.eos_token_id)
        ids = torch.cat((ids, token[:, None]), dim=-1)
    return ids
""",
    ),
    Misconception(
        name="zero_taken_for_no_start",
        price="edge",
        sentence=(
            "Where the start token has the id 0 you begin with another one: for `or` and `if` a "
            "zero counts as nothing given."
        ),
        replaced={
            "config.decoder_start_token_id)  # (N, 1)": (
                "config.decoder_start_token_id or config.pad_token_id)"
            ),
        },
    ),
    Misconception(
        name="zero_taken_for_no_end",
        price="edge",
        sentence=(
            "Where the end token has the id 0 you never see it: for `or` and `if` a zero counts as "
            "nothing given."
        ),
        replaced={
            "ended = ended | (best == config.eos_token_id)": (
                "ended = ended | (best == (config.eos_token_id or -1))"
            ),
        },
    ),
]
