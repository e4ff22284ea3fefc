"""Wrong answers to question 9 that students are known to give."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="targets_not_shifted",
        sentence=(
            "You feed the decoder the very tokens that it should predict, so it learns to "
            "copy its input. Shift the targets right before it reads them."
        ),
        replaced={
            "shift_right(tgt, bos_id)": "tgt",
        },
        price="mathematics",
    ),
    Misconception(
        name="padding_counts",
        sentence=(
            "Your loss counts padding, so a batch with one long sequence consists mostly of "
            "it. The loss has an argument for a target that is to be ignored."
        ),
        replaced={
            ", ignore_index=pad_id": "",
        },
        price="mathematics",
    ),
    Misconception(
        name="divided_by_all_tokens",
        sentence=(
            "You leave padding out of the sum but divide by the number of all tokens, so "
            "more padding makes the loss smaller. Divide by the number of real ones."
        ),
        replaced={
            "ignore_index=pad_id)": 'ignore_index=pad_id, reduction="sum") / tgt.numel()',
        },
        price="mathematics",
    ),
    Misconception(
        name="gradients_pile_up",
        sentence=(
            "You never clear the gradients, so each step is made with the sum of all that "
            "came before. PyTorch adds new gradients to old ones."
        ),
        replaced={
            "optimizer.zero_grad()": "pass",
        },
        price="learning",
    ),
    Misconception(
        name="no_step",
        sentence=(
            "After your step the parameters are what they were: the optimizer makes none, or the "
            "gradients are cleared before it can. Look at the order of your last lines."
        ),
        replaced={
            "optimizer.step()": "pass",
        },
        price="learning",
    ),
    Misconception(
        name="begins_with_padding",
        sentence=(
            "You put the padding id where BOS should stand, and padding is what nobody may "
            "look at. The id to begin with is an argument."
        ),
        replaced={
            "shift_right(tgt, bos_id)": "shift_right(tgt, pad_id)",
        },
        price="mathematics",
    ),
    Misconception(
        name="evaluation_mode",
        sentence=(
            "The model is in evaluation mode while you train it, where dropout is switched off. "
            "Your function has to put it into the other mode, whichever it finds it in."
        ),
        replaced={
            "model.train()": "model.eval()",
        },
        price="edge",
    ),
    Misconception(
        name="loss_with_its_graph",
        sentence=(
            "You return the loss as a tensor, and with it the whole graph of the "
            "computation, which stays in memory as long as somebody keeps the loss. A plain "
            "number is asked for."
        ),
        replaced={
            "loss.item()": "loss",
        },
        price="edge",
    ),
    Misconception(
        name="evaluates_the_loss_after_the_step",
        sentence=(
            "You compute the loss again after the parameters have moved. The question asks for "
            "the one before the step."
        ),
        replaced={
            "    return loss.item()\n": (
                "    logits = model(src, shift_right(tgt, bos_id))\n"
                "    loss = nn.functional.cross_entropy(logits.flatten(0, "
                "1), tgt.flatten(), ignore_index=pad_id)\n"
                "    return loss.item()\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="last_token_cut_off",
        sentence=(
            "You feed the targets without their last token and predict them without the first, "
            "so that the first token is never learned. The decoder reads BOS and then the "
            "targets."
        ),
        replaced={
            (
                "    logits = model(src, shift_right(tgt, bos_id))\n"
                "    loss = nn.functional.cross_entropy("
                "logits.flatten(0, 1), tgt.flatten(), ignore_index=pad_id)"
            ): (
                "    logits = model(src, tgt[:, :-1])\n"
                "    loss = nn.functional.cross_entropy(\n"
                "        logits.flatten(0, 1), tgt[:, 1:].flatten(), ignore_index=pad_id\n"
                "    )"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_of_the_sequences_means",
        sentence=(
            "You take the mean of each sequence first and then the mean of these, so that a token "
            "of a short sequence weighs more than one of a long sequence. All real tokens of the "
            "batch weigh the same."
        ),
        replaced={
            (
                "    loss = nn.functional.cross_entropy("
                "logits.flatten(0, 1), tgt.flatten(), ignore_index=pad_id)\n"
            ): (
                "    losses = nn.functional.cross_entropy(\n"
                '        logits.mT, tgt, ignore_index=pad_id, reduction="none"\n'
                "    )\n"
                "    loss = (losses.sum(dim=1) / (tgt != pad_id).sum(dim=1)).mean()\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="ids_of_the_notebook",
        price="mathematics",
        sentence=(
            "You use the ids that stand at the top of the notebook. This function is told which "
            "ids begin and pad: take its arguments."
        ),
        replaced={
            "shift_right(tgt, bos_id)": "shift_right(tgt, BOS_ID)",
            "ignore_index=pad_id": "ignore_index=PAD_ID",
        },
    ),
    Misconception(
        name="gradients_clipped",
        sentence=(
            "You cut large gradients off before the step. The question asks for a step along the "
            "gradients as they are."
        ),
        replaced={
            "    optimizer.step()\n": (
                "    nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n    optimizer.step()\n"
            )
        },
    ),
    Misconception(
        name="first_group_alone",
        sentence=(
            "You clear the gradients of the first group of parameters alone. An optimizer may have "
            "several."
        ),
        replaced={
            "    optimizer.zero_grad()\n": (
                '    for parameter in optimizer.param_groups[0]["params"]:\n'
                "        parameter.grad = None\n"
            )
        },
    ),
    Misconception(
        name="loss_rounded",
        sentence="You round the loss. It is to be returned as it is.",
        replaced={"return loss.item()": "return round(loss.item(), 4)"},
    ),
    Misconception(
        name="gradients_cleared_after_the_step_alone",
        sentence=(
            "You clear the gradients after your own step only, so that what somebody left at the "
            "parameters before the call is followed as well. Clear them before you add to them."
        ),
        replaced={
            ("    optimizer.zero_grad()\n    loss.backward()\n    optimizer.step()\n"): (
                "    loss.backward()\n    optimizer.step()\n    optimizer.zero_grad()\n"
            )
        },
        price="learning",
    ),
    Misconception(
        name="softmax_before_the_loss",
        sentence=(
            "You hand probabilities to a loss that wants logits and takes the softmax itself, so "
            "that it is taken twice. Look at what `cross_entropy` expects."
        ),
        replaced={
            "cross_entropy(logits.flatten(0, 1),": (
                "cross_entropy(logits.softmax(dim=-1).flatten(0, 1),"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="labels_smoothed",
        sentence=(
            "You smooth the targets, so that even a perfect model has a loss. The question asks "
            "for the cross-entropy as it is."
        ),
        replaced={", ignore_index=pad_id": ", ignore_index=pad_id, label_smoothing=0.1"},
        price="mathematics",
    ),
    Misconception(
        name="long_gradients_clipped",
        sentence=(
            "You limit the length of the gradient, as scripts for large models do, which changes "
            "no step while gradients are short. The question asks for a step along the gradient "
            "as it is."
        ),
        replaced={
            "    optimizer.step()\n": (
                "    nn.utils.clip_grad_norm_(model.parameters(), 5.0)\n    optimizer.step()\n"
            ),
        },
    ),
    Misconception(
        name="start_tokens_left_out",
        sentence=(
            "You leave the start token out of the loss wherever it stands among the targets. "
            "Padding alone is left out."
        ),
        code="""def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    logits = model(src, shift_right(tgt, bos_id))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=pad_id)
    keep = (tgt != pad_id) & (tgt != bos_id)
    loss = nn.functional.cross_entropy(logits[keep], tgt[keep])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
""",
    ),
    Misconception(
        name="gradients_clipped_one_by_one",
        sentence=(
            "You clip each number of the gradients. Nothing asks for that: the optimizer takes "
            "them as they are."
        ),
        code="""def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    logits = model(src, shift_right(tgt, bos_id))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=pad_id)
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(model.parameters(), 0.1)
    optimizer.step()
    return loss.item()
""",
    ),
    Misconception(
        name="padding_of_the_source_counted",
        sentence=(
            "Where source and target have the same shape you leave out what is padding in the "
            "source. What counts is padding among the targets."
        ),
        code="""def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    logits = model(src, shift_right(tgt, bos_id))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=pad_id)
    if src.shape == tgt.shape:
        keep = src != pad_id
        loss = nn.functional.cross_entropy(logits[keep], tgt[keep])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
""",
    ),
    Misconception(
        name="columns_of_the_first_cut",
        sentence=(
            "You cut columns off that are padding for the first sequence. Others may be longer, "
            "and the step sees the whole batch."
        ),
        code="""def train_step(model, src, tgt, optimizer, bos_id, pad_id=0):
    model.train()
    tgt = tgt[:, tgt[0] != pad_id]
    logits = model(src, shift_right(tgt, bos_id))
    loss = nn.functional.cross_entropy(logits.flatten(0, 1), tgt.flatten(), ignore_index=pad_id)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
""",
        price="edge",
    ),
    Misconception(
        name="last_token_does_not_count",
        sentence=(
            "The last token of each target does not count in your loss. It is the one by which "
            "the model learns to end: padding alone is left out."
        ),
        replaced={
            "loss = nn": (
                "last = (tgt != pad_id).sum(dim=1, keepdim=True) - 1\n"
                "    wanted = tgt.scatter(1, last.clamp(min=0), pad_id).flatten()\n"
                "    loss = nn"
            ),
            "tgt.flatten(), ignore": "wanted, ignore",
        },
        price="mathematics",
    ),
    Misconception(
        name="divided_by_the_sequences",
        sentence=(
            "You divide the sum of the losses by the number of sequences. It is a mean over all "
            "real tokens."
        ),
        replaced={
            "tgt.flatten(), ignore_index=pad_id)": (
                'tgt.flatten(), ignore_index=pad_id, reduction="sum")\n    loss = loss / len(tgt)'
            ),
        },
        price="mathematics",
    ),
]
