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
    ),
    Misconception(
        name="no_step",
        sentence=(
            "The optimizer makes no step, so the parameters stay as they are. Gradients "
            "alone change nothing."
        ),
        replaced={
            "optimizer.step()": "pass",
        },
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
    ),
    Misconception(
        name="evaluation_mode",
        sentence=(
            "You put the model into evaluation mode before you train it, which switches "
            "dropout off. It is the other mode that training needs."
        ),
        replaced={
            "model.train()": "model.eval()",
        },
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
    ),
]
