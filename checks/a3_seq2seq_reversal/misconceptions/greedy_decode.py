"""Wrong answers to question 10 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="encodes_at_every_step",
        sentence=(
            "You encode the source again at every step, although it does not change. Do it "
            "once, before the loop."
        ),
        replaced={
            "logits = model.decode(written, memory, src)": (
                "logits = model.decode(written, model.encode(src), src)"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="reads_the_first_position",
        sentence=(
            "You read the next token off the first position, so the same one comes again "
            "and again. Only the last position knows all that has been written."
        ),
        replaced={
            "logits[:, -1:]": "logits[:, :1]",
        },
        price="mathematics",
    ),
    Misconception(
        name="feeds_the_last_token_only",
        sentence=(
            "You show the decoder only the token that it wrote last, so it does not know "
            "what came before. Its input grows with every step."
        ),
        replaced={
            "model.decode(written, memory, src)": "model.decode(written[:, -1:], memory, src)",
        },
        price="mathematics",
    ),
    Misconception(
        name="stops_with_the_first_to_end",
        sentence=(
            "You stop as soon as one sequence of the batch has said EOS, and cut the others "
            "short. Go on until all have."
        ),
        replaced={
            ".any(dim=1).all()": ".any(dim=1).any()",
        },
        price="mathematics",
    ),
    Misconception(
        name="never_stops_early",
        sentence=(
            "You go on to max_len steps although every sequence has said EOS before, some earlier "
            "than others. Check after each step whether one is left that has not."
        ),
        replaced={
            ("if (written == eos_id).any(dim=1).all():\n                break"): "pass",
        },
        price="edge",
    ),
    Misconception(
        name="keeps_what_comes_after_eos",
        sentence=(
            "You return everything that was written, EOS and what follows it included. The "
            "answer of a sequence ends before its first EOS."
        ),
        replaced={
            "[row[: row.index(eos_id)] for row in rows]": "[row[:-1] for row in rows]",
        },
        price="mathematics",
    ),
    Misconception(
        name="takes_every_eos_out",
        sentence=(
            "You take every EOS out and keep what the model wrote behind the first one. The answer "
            "of a sequence ends there."
        ),
        replaced={
            "[row[: row.index(eos_id)] for row in rows]": (
                "[[token for token in row if token != eos_id] for row in rows]"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="eos_of_the_notebook",
        sentence=(
            "You end the answers with `EOS_ID` of this notebook. Another model may end with "
            "another id: your function is handed `eos_id`."
        ),
        replaced={
            "written == eos_id": "written == EOS_ID",
            "row.index(eos_id)": ("row.index(EOS_ID)"),
            "[*row, eos_id]": "[*row, EOS_ID]",
        },
        price="edge",
    ),
    Misconception(
        name="keeps_eos",
        sentence=(
            "Your lists still hold the EOS at their end. It says that the answer is over "
            "and is no part of it."
        ),
        replaced={
            "row[: row.index(eos_id)]": "row[: row.index(eos_id) + 1]",
        },
        price="mathematics",
    ),
    Misconception(
        name="keeps_bos",
        sentence=(
            "Your lists still begin with BOS. It was there to start the decoder and is no "
            "part of the answer."
        ),
        replaced={
            "written[:, 1:].tolist()": "written.tolist()",
        },
        price="mathematics",
    ),
    Misconception(
        name="drops_every_bos",
        sentence=(
            "You leave out every BOS, also one that the model itself has said. Only the one that "
            "you put in front is no part of the answer."
        ),
        replaced={
            "[row[: row.index(eos_id)] for row in rows]": (
                "[[t for t in row[: row.index(eos_id)] if t != bos_id] for row in rows]"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="training_mode",
        sentence=(
            "The model, or a part of it, is in training mode while it reads or writes, so "
            "dropout would blot out a part of it at random. Switch it over first."
        ),
        replaced={
            "model.eval()": "model.train()",
        },
        price="edge",
    ),
    Misconception(
        name="keeps_gradients",
        sentence=(
            "You run the model with gradients, so the memory fills with graphs that nobody "
            "needs. There is a context that switches them off."
        ),
        replaced={
            "torch.no_grad()": "torch.enable_grad()",
        },
        price="edge",
    ),
    Misconception(
        name="tokens_drawn_at_random",
        sentence=(
            "You draw each token by lot, as likely as the model finds it. Greedy is to take the "
            "likeliest one, the same each time."
        ),
        replaced={
            "logits[:, -1:].argmax(dim=-1)": "logits[:, -1].softmax(dim=-1).multinomial(1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="returns_a_tensor",
        sentence=(
            "You return one tensor, in which sequences of different lengths have to be "
            "filled up. A list of lists of Python ints is asked for."
        ),
        replaced={
            "return [row[: row.index(eos_id)] for row in rows]": "return written[:, 1:]",
        },
        price="mathematics",
    ),
    Misconception(
        name="left_frozen",
        sentence=(
            "You switch gradients off, those of the model's parameters or all of PyTorch's, and "
            "leave them so: nobody can train any more. Gradients can be off for a block of code "
            "alone."
        ),
        replaced={"    model.eval()\n": "    model.eval().requires_grad_(False)\n"},
    ),
    Misconception(
        name="drops_every_zero",
        sentence=(
            "You take 0 for padding and leave it out of the answer. What the model has said before "
            "EOS is all part of it."
        ),
        replaced={
            "[row[: row.index(eos_id)] for row in rows]": (
                "[[t for t in row[: row.index(eos_id)] if t] for row in rows]"
            ),
        },
    ),
    Misconception(
        name="memory_of_an_earlier_call",
        sentence=(
            "You keep the memory for the next call, which may bring another source of the same "
            "shape."
        ),
        replaced={
            "        memory = model.encode(src)\n": (
                '        kept = model.__dict__.setdefault("kept_memory", {})\n'
                "        if src.shape not in kept:\n"
                "            kept[src.shape] = model.encode(src)\n"
                "        memory = kept[src.shape]\n"
            )
        },
    ),
    Misconception(
        name="special_tokens_filtered_out",
        sentence=(
            "You filter BOS and EOS out of what was written, and keep the tokens behind EOS. The "
            "answer of a sequence ends there."
        ),
        replaced={
            "[row[: row.index(eos_id)] for row in rows]": (
                "[[token for token in row if token not in (bos_id, eos_id)] for row in rows]"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="special_tokens_never_said",
        sentence=(
            "You never let the model say BOS or padding, also where it finds one of them the "
            "likeliest. Greedy is to take the likeliest of all tokens."
        ),
        replaced={
            "            written = torch.cat(": (
                "            logits[..., [bos_id, PAD_ID]] = -math.inf\n"
                "            written = torch.cat("
            ),
        },
    ),
    Misconception(
        name="no_token_twice_in_a_row",
        sentence=(
            "You never let the model say the same token twice in a row, as scripts against "
            "repetition do. A sequence may hold a token twice, and greedy takes the likeliest."
        ),
        replaced={
            "            written = torch.cat(": (
                "            logits = logits[:, -1:].scatter(2, written[:, -1:, None], -math.inf)\n"
                "            written = torch.cat("
            ),
        },
    ),
    Misconception(
        name="padding_never_said",
        sentence=(
            "You forbid the model to say padding. It is a token like others: take what the model "
            "finds most likely."
        ),
        code="""def greedy_decode(model, src, bos_id, eos_id, max_len):
    model.eval()
    with torch.no_grad():
        memory = model.encode(src)
        written = torch.full((src.shape[0], 1), bos_id, dtype=torch.long, device=src.device)
        done = torch.zeros(src.shape[0], dtype=torch.bool, device=src.device)
        for _ in range(max_len):
            scores = model.decode(written, memory, src)[:, -1].clone()
            scores[:, 0] = -torch.inf
            token = scores.argmax(dim=-1)
            written = torch.cat([written, token[:, None]], dim=1)
            done = done | (token == eos_id)
            if done.all():
                break
    answers = []
    for row in written[:, 1:].tolist():
        answers.append(row[: row.index(eos_id)] if eos_id in row else row)
    return answers
""",
    ),
    Misconception(
        name="finished_rows_taken_out",
        sentence=(
            "You take finished sequences out of the batch, and look the others up by their new "
            "numbers, which are those of other sources."
        ),
        code="""@torch.no_grad()
def greedy_decode(model, src, bos_id, eos_id, max_len):
    model.eval()
    memory = model.encode(src)
    written = src.new_full((len(src), 1), bos_id)
    done = torch.zeros(len(src), dtype=torch.bool, device=src.device)
    for _ in range(max_len):
        open_rows = (~done).nonzero()[:, 0]
        n = len(open_rows)
        found = model.decode(written[open_rows], memory[:n], src[:n])[:, -1].argmax(dim=-1)
        token = torch.full_like(written[:, 0], eos_id)
        token[open_rows] = found
        written = torch.cat([written, token[:, None]], dim=1)
        done = done | (token == eos_id)
        if done.all():
            break
    rows = written[:, 1:].tolist()
    return [row[: row.index(eos_id)] if eos_id in row else row for row in rows]
""",
        price="mathematics",
    ),
]
