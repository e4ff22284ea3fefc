"""Known wrong answers to `overfit_one_batch`."""

from autograder.checking import Misconception

MISCONCEPTIONS = [
    Misconception(
        name="zero_grad_forgotten",
        sentence=(
            "You never set the gradients to zero, so that each step goes along the sum of all "
            "gradients so far."
        ),
        replaced={"        optimizer.zero_grad()\n": ""},
        price="mathematics",
    ),
    Misconception(
        name="zero_grad_once",
        sentence=(
            "You set the gradients to zero once, before the loop. They add up from step to step, "
            "so each step needs it."
        ),
        replaced={
            "        optimizer.zero_grad()\n": "",
            "    losses = []\n": "    losses = []\n    optimizer.zero_grad()\n",
        },
        price="mathematics",
    ),
    Misconception(
        name="step_forgotten",
        sentence=(
            "The weights never move: the optimizer makes no step, or finds gradients that were "
            "set to zero between `backward` and its step."
        ),
        replaced={"        optimizer.step()\n": ""},
        price="mathematics",
    ),
    Misconception(
        name="one_step_too_few",
        sentence="You make one step fewer than was asked for.",
        replaced={"range(steps)": "range(1, steps)"},
        price="mathematics",
    ),
    Misconception(
        name="losses_after_the_steps",
        sentence=(
            "You measure each loss after its step. The question asks for the loss as it was "
            "before, so the first one belongs to the weights that came in."
        ),
        replaced={
            "        losses.append(loss.item())\n": "",
            "        optimizer.step()\n": (
                "        optimizer.step()\n"
                '        again = model(batch["input_ids"], batch["attention_mask"])\n'
                '        losses.append(nn.functional.nll_loss(again, batch["labels"]).item())\n'
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="summed_loss",
        sentence=(
            "Your loss is the sum over the batch. The question asks for the mean, which also "
            "sets the size of the steps."
        ),
        replaced={'batch["labels"])\n': 'batch["labels"], reduction="sum")\n'},
        price="mathematics",
    ),
    Misconception(
        name="probabilities_taken",
        sentence=(
            "You take exponentials of what the model returns. It returns log-probabilities, and "
            "the loss is what stands at the label, with a minus."
        ),
        replaced={
            'nn.functional.nll_loss(log_probs, batch["labels"])': (
                'nn.functional.nll_loss(log_probs.exp(), batch["labels"])'
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_left_out",
        sentence=(
            "The model is not given the batch's attention mask, but one that calls every token "
            "real. Padding then counts as a word."
        ),
        replaced={'batch["attention_mask"])': 'torch.ones_like(batch["attention_mask"]))'},
        price="mathematics",
    ),
    Misconception(
        name="loss_of_the_last_step_alone",
        sentence="You return the last loss alone. The question asks for those of all steps.",
        replaced={"    return losses\n": "    return losses[-1]\n"},
        price="mathematics",
    ),
    Misconception(
        name="tensors_for_floats",
        sentence=(
            "You keep the losses as tensors. Each holds the graph of its step in memory; "
            "`Tensor.item` makes a Python number of it."
        ),
        replaced={"losses.append(loss.item())": "losses.append(loss)"},
        price="edge",
    ),
    Misconception(
        name="dropout_left_on",
        sentence=(
            "The model runs in training mode, where dropout hides words by chance. Learning by "
            "heart is asked of the whole model."
        ),
        replaced={"    model.eval()\n": "    model.train()\n"},
        price="mathematics",
    ),
    Misconception(
        name="mode_not_restored",
        sentence=(
            "You leave the model in evaluation mode, whatever mode it came in. A training that "
            "follows would be without dropout."
        ),
        replaced={"    model.train(was_training)\n": ""},
        price="surroundings",
    ),
    Misconception(
        name="always_back_to_training",
        sentence=(
            "You put the model into training mode in the end, whatever mode it came in. One that "
            "came in evaluation mode should leave in it."
        ),
        replaced={"    model.train(was_training)\n": "    model.train()\n"},
        price="surroundings",
    ),
    Misconception(
        name="old_gradients_in_the_first_step",
        sentence=(
            "You set the gradients to zero after each step, so that the first one still follows "
            "whatever lay there before. Which call comes before `backward`?"
        ),
        replaced={
            (
                "        optimizer.zero_grad()\n        loss.backward()\n        optimizer.step()\n"
            ): (
                "        loss.backward()\n        optimizer.step()\n        optimizer.zero_grad()\n"
            ),
        },
        price="edge",
    ),
    Misconception(
        name="loss_summed",
        sentence=(
            "Each step follows the sum of the losses of the batch, so that it is too long. The "
            "loss of a step is their mean."
        ),
        replaced={
            ("        loss.backward()\n"): ('        (len(batch["labels"]) * loss).backward()\n'),
        },
        price="mathematics",
    ),
    Misconception(
        name="gradients_clipped",
        sentence=(
            "You make large gradients smaller before the step. Each step goes along the gradient "
            "of its own loss as it is."
        ),
        replaced={
            "        loss.backward()\n": (
                "        loss.backward()\n"
                "        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n"
            )
        },
    ),
    Misconception(
        name="first_sixteen_headlines",
        sentence=(
            "Of a large batch you use the first headlines only. Every step is made on the whole "
            "batch, however large it is."
        ),
        replaced={
            "    losses = []\n": (
                "    losses = []\n"
                "    batch = {name: column[:16] for name, column in batch.items()}\n"
            )
        },
    ),
    Misconception(
        name="seed_set",
        sentence="You set a seed, for everybody who draws numbers after your call.",
        replaced={"    model.eval()\n": "    torch.manual_seed(0)\n    model.eval()\n"},
        price="surroundings",
    ),
    Misconception(
        name="first_group_alone",
        sentence=(
            "You clear the gradients of the first group of parameters alone. An optimizer may have "
            "several."
        ),
        replaced={
            "        optimizer.zero_grad()\n": (
                '        for parameter in optimizer.param_groups[0]["params"]:\n'
                "            parameter.grad = None\n"
            )
        },
    ),
    Misconception(
        name="one_step_at_least",
        sentence=(
            "Your loop looks at its end only after a step, so that it makes one where none is "
            "asked for."
        ),
        replaced={"range(steps)": "range(max(1, steps))"},
    ),
    Misconception(
        name="labels_taken_out_of_the_batch",
        sentence=(
            "You take the labels out of the batch, and whoever uses it after you misses them. Read "
            "what you need and leave the batch as it is."
        ),
        replaced={
            "    losses = []\n": '    losses = []\n    labels = batch.pop("labels")\n',
            'batch["labels"])': "labels)",
        },
    ),
    Misconception(
        name="plain_gradient_steps",
        price="mathematics",
        sentence=(
            "Your steps follow the gradient alone, whatever optimizer was handed in. It may "
            "remember earlier steps, or scale each number by itself: let it make the steps."
        ),
        replaced={
            "        optimizer.step()\n": (
                "        with torch.no_grad():\n"
                "            for group in optimizer.param_groups:\n"
                '                for parameter in group["params"]:\n'
                '                    parameter -= group["lr"] * parameter.grad\n'
            )
        },
    ),
    Misconception(
        name="model_asked_once",
        price="mathematics",
        sentence=(
            "You ask the model once and go along the same graph again and again. Each step changes "
            "the weights, so the model's answer and its loss have to be computed anew."
        ),
        code="""def overfit_one_batch(model, batch, optimizer, steps):
    was_training = model.training
    model.eval()
    losses = []
    log_probs = model(batch["input_ids"], batch["attention_mask"])
    loss = nn.functional.nll_loss(log_probs, batch["labels"])
    for _ in range(steps):
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
    model.train(was_training)
    return losses
""",
    ),
    Misconception(
        name="weights_put_back",
        price="mathematics",
        sentence=(
            "You put the weights back as they were before the steps, so that nothing is learned. "
            "It is the mode alone that goes back."
        ),
        replaced={
            "    losses = []\n": (
                "    losses = []\n"
                "    before = {name: one.clone() for name, one in model.state_dict().items()}\n"
            ),
            "    return losses": "    model.load_state_dict(before)\n    return losses",
        },
    ),
    Misconception(
        name="optimizer_of_its_own",
        price="mathematics",
        sentence=(
            "You make an optimizer of your own, so that the one handed in never moves a weight. "
            "Which steps are made, and along what, is up to whoever calls."
        ),
        replaced={
            "    losses = []\n": (
                "    losses = []\n"
                '    rate = optimizer.param_groups[0]["lr"]\n'
                "    optimizer = torch.optim.Adam(model.parameters(), lr=rate)\n"
            )
        },
    ),
    Misconception(
        name="labels_smoothed",
        price="mathematics",
        sentence=(
            "Your loss smooths the labels, which keeps a model from learning them by heart. Here "
            "that is the aim."
        ),
        replaced={
            'nn.functional.nll_loss(log_probs, batch["labels"])': (
                "nn.functional.cross_entropy(\n"
                '            log_probs, batch["labels"], label_smoothing=0.1\n'
                "        )"
            )
        },
    ),
    Misconception(
        name="learned_from_smoothed_labels",
        price="mathematics",
        sentence=(
            "You return one loss and step along another, which smooths the labels. The losses are "
            "to be those that the model learns from."
        ),
        replaced={
            "        loss.backward()\n": (
                "        nn.functional.cross_entropy(\n"
                '            log_probs, batch["labels"], label_smoothing=0.1\n'
                "        ).backward()\n"
            )
        },
    ),
    Misconception(
        name="last_loss_without_a_step",
        price="mathematics",
        sentence=(
            "You note the last loss and make no step on it. Each loss has its step, the last one "
            "too."
        ),
        replaced={
            "    for _ in range(steps):": "    for number in range(steps):",
            "        optimizer.zero_grad()\n": (
                "        if number == steps - 1:\n"
                "            break\n"
                "        optimizer.zero_grad()\n"
            ),
        },
    ),
    Misconception(
        name="column_of_the_batch_replaced",
        sentence=(
            "You put another tensor into the batch that was handed in. Make a name of your own "
            "for it."
        ),
        code="""def overfit_one_batch(model, batch, optimizer, steps):
    mode = model.training
    model.eval()
    batch["attention_mask"] = batch["attention_mask"].bool()
    losses = []
    for _ in range(steps):
        out = model(batch["input_ids"], batch["attention_mask"])
        loss = nn.functional.nll_loss(out, batch["labels"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.train(mode)
    return losses
""",
    ),
    Misconception(
        name="rate_scheduled",
        sentence=(
            "You change the learning rate of the optimizer. Its settings are the business of who "
            "made it."
        ),
        code="""def overfit_one_batch(model, batch, optimizer, steps):
    mode = model.training
    model.eval()
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=50, gamma=0.5)
    losses = []
    for _ in range(steps):
        loss = nn.functional.nll_loss(
            model(batch["input_ids"], batch["attention_mask"]), batch["labels"]
        )
        losses.append(loss.item())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    model.train(mode)
    return losses
""",
    ),
    Misconception(
        name="cleared_now_and_then",
        sentence=(
            "From some step on you clear gradients now and then, so that they add up between. "
            "Clear them in every step."
        ),
        code="""def overfit_one_batch(model, batch, optimizer, steps):
    was = model.training
    model.eval()
    losses = []
    for step in range(steps):
        loss = nn.functional.nll_loss(
            model(batch["input_ids"], batch["attention_mask"]), batch["labels"]
        )
        if step < 4 or step % 4 == 0:
            optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    model.train(was)
    return losses
""",
        price="mathematics",
    ),
    Misconception(
        name="mode_of_the_whole_alone",
        price="edge",
        sentence=(
            "The model, or a part of it, is in the other mode while it runs. Set the mode "
            "without asking for it first: what the model says of it need not hold for its parts."
        ),
        replaced={"model.eval()": "if was_training:\n        model.eval()"},
    ),
    Misconception(
        name="one_step_too_many",
        sentence=(
            "You make one step more than was asked for, behind the last loss that you return. "
            "Each loss has its step, and there are `steps` of both."
        ),
        replaced={
            "for _ in range(steps):": "for _ in range(steps + 1):",
            "    return losses": "    return losses[:steps]",
        },
        price="mathematics",
    ),
    Misconception(
        name="two_steps_for_each_loss",
        sentence=(
            "You make two steps along one gradient for each loss. Behind a loss there is one step, "
            "and then the model is asked again."
        ),
        replaced={"        optimizer.step()": "        optimizer.step()\n        optimizer.step()"},
        price="mathematics",
    ),
]
