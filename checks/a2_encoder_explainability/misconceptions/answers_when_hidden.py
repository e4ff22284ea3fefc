"""Known wrong answers to `answers_when_hidden`."""

from autograder.checking import Misconception

RANKED = "explanation.masked_fill(own, -torch.inf)"
ASKED = "model(x, mask=mask[:, None]).argmax(dim=-1)"

MISCONCEPTIONS = [
    Misconception(
        name="mask_inverted",
        sentence=(
            "Your mask is True where it should hide: each query sees nothing but the position "
            "that was to be taken away. `True` means may attend."
        ),
        replaced={"F.one_hot(first, x.shape[1]) == 0": "F.one_hot(first, x.shape[1]) == 1"},
        price="mathematics",
    ),
    Misconception(
        name="nothing_hidden",
        sentence=(
            "The model is called without your mask, so that it answers as ever. Hand the mask over."
        ),
        replaced={ASKED: "model(x).argmax(dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        name="own_position_may_be_hidden",
        sentence=(
            "You hide the position that is ranked first of all, even where it is the query's own. "
            "The own position is never hidden."
        ),
        replaced={RANKED: "explanation"},
        price="mathematics",
    ),
    Misconception(
        name="own_position_as_zero",
        sentence=(
            "You set the own positions of the explanation to zero. Where all others are negative, "
            "zero is the largest, and the own position is hidden after all."
        ),
        replaced={RANKED: "explanation.masked_fill(own, 0)"},
        price="edge",
    ),
    Misconception(
        name="size_ranks",
        sentence=(
            "You rank by absolute value. A large negative number speaks against a position: the "
            "largest number is ranked first."
        ),
        replaced={RANKED: "explanation.abs().masked_fill(own, -torch.inf)"},
        price="edge",
    ),
    Misconception(
        name="last_rank_hidden",
        sentence=(
            "You hide the position that the explanation ranks last. Nothing much can be expected "
            "of that; the test takes away what is ranked first."
        ),
        replaced={RANKED + ".argmax": "explanation.masked_fill(own, torch.inf).argmin"},
        price="mathematics",
    ),
    Misconception(
        name="columns_ranked",
        sentence=(
            "You look for the largest number of each column. A row says what counted for one "
            "answer, so the largest of each row is asked for."
        ),
        replaced={RANKED + ".argmax(dim=-1)": RANKED + ".argmax(dim=-2)"},
        price="mathematics",
    ),
    Misconception(
        name="queries_and_keys_exchanged",
        sentence=(
            "Your mask has queries and keys exchanged. Row j of a mask says what query j may "
            "attend to."
        ),
        replaced={"mask[:, None]": "mask[:, None].transpose(-2, -1)"},
        price="mathematics",
    ),
    Misconception(
        name="hidden_from_all_queries",
        sentence=(
            "What one query loses, you take from all queries. Each query loses the position that "
            "its own row ranks first."
        ),
        replaced={"mask[:, None]": "mask.all(dim=1)[:, None, None]"},
        price="mathematics",
    ),
    Misconception(
        name="mask_of_the_first_sequence",
        sentence=(
            "All sequences get the mask of the first. Each sequence has an explanation, and so a "
            "mask, of its own."
        ),
        replaced={"mask[:, None]": "mask[:1, None]"},
        price="mathematics",
    ),
    Misconception(
        name="own_position_hidden_too",
        sentence=(
            "You hide the query's own position as well. Only the first of the others is taken away."
        ),
        replaced={"== 0  # (B, L, L)": "+ own == 0  # (B, L, L)"},
        price="mathematics",
    ),
    Misconception(
        name="logits_returned",
        sentence="You return the logits. The question asks for the classes that win.",
        replaced={ASKED: "model(x, mask=mask[:, None])"},
        price="mathematics",
    ),
    Misconception(
        name="best_position_for_best_class",
        sentence=(
            "You look for the largest logit over the positions. The answer at a position is the "
            "class with the largest logit there."
        ),
        replaced={ASKED: "model(x, mask=mask[:, None]).argmax(dim=1)"},
        price="mathematics",
    ),
    Misconception(
        name="one_query_at_a_time",
        sentence=(
            "You hide for one query and let all others see everything, a call for each. All "
            "queries lose their position in one and the same call."
        ),
        replaced={
            "        return " + ASKED + "\n": (
                "        answers = []\n"
                "        for query in range(x.shape[1]):\n"
                "            alone = torch.ones_like(mask)\n"
                "            alone[:, query] = mask[:, query]\n"
                "            logits = model(x, mask=alone[:, None])\n"
                "            answers.append(logits[:, query].argmax(dim=-1))\n"
                "        return torch.stack(answers, dim=1)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="input_emptied",
        sentence=(
            "You set inputs to zero instead of hiding them. Zeros are still attended to, and a "
            "position that one query loses is lost for all."
        ),
        replaced={
            ASKED: "model(x * mask.all(dim=1)[..., None]).argmax(dim=-1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="left_in_training_mode",
        sentence="You ask the model in training mode, where dropout changes its answers by chance.",
        replaced={"    model.eval()\n": ""},
        price="edge",
    ),
    Misconception(
        name="hidden_from_all_queries_in_turn",
        sentence=(
            "You call the model once for each query and hide its position from all queries in that "
            "call, so that it also misses what the others would have told of it. Each query loses "
            "its own position, in one and the same call."
        ),
        replaced={
            "        return " + ASKED + "\n": (
                "        answers = []\n"
                "        for query in range(x.shape[1]):\n"
                "            logits = model(x, mask=mask[:, None, query, None])\n"
                "            answers.append(logits[:, query].argmax(dim=-1))\n"
                "        return torch.stack(answers, dim=1)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="own_position_as_minus_one",
        sentence=(
            "You mark the own positions with -1, which is not the smallest where all others lie "
            "further down. No number of an explanation may be smaller than your mark."
        ),
        replaced={RANKED: "explanation.masked_fill(own, -1)"},
        price="edge",
    ),
    Misconception(
        name="own_position_by_a_low_number",
        price="edge",
        sentence=(
            "You give the own positions a low number before you look for the largest, but an "
            "explanation may be lower everywhere else."
        ),
        replaced={
            "-torch.inf": "-1e4",
        },
    ),
    Misconception(
        name="near_ones_hidden_too",
        sentence=(
            "You hide every position whose number is as good as the largest. One position is "
            "hidden from each query, however near the second one comes."
        ),
        replaced={
            "    first = explanation.masked_fill(own, -torch.inf).argmax(dim=-1)\n"
            "    mask = F.one_hot(first, x.shape[1]) == 0": (
                "    others = explanation.masked_fill(own, -torch.inf)\n"
                "    mask = own | (others < others.amax(dim=-1, keepdim=True) - 1e-3)"
            )
        },
        price="edge",
    ),
    Misconception(
        name="asked_without_positions",
        sentence=(
            "You ask the model with its positional encoding switched off. The question calls it "
            "with `x` and the mask alone."
        ),
        replaced={"mask=mask[:, None])": "mask=mask[:, None], add_positional_encoding=False)"},
    ),
    Misconception(
        name="hidden_from_all_other_queries",
        sentence=(
            "What one query loses, you take from all queries but the one that stands there. Each "
            "query loses the position that its own row ranks first, and keeps all others."
        ),
        replaced={"mask[:, None]": "(mask.all(dim=1, keepdim=True) | own)[:, None]"},
        price="mathematics",
    ),
    Misconception(
        name="second_of_each_row",
        sentence=(
            "You hide the second of each row, as if the own position always came first. It may "
            "stand at any rank: leave it out before you look for the largest."
        ),
        replaced={
            RANKED + ".argmax(dim=-1)": "explanation.argsort(dim=-1, descending=True)[..., 1]"
        },
        price="mathematics",
    ),
    Misconception(
        name="columns_ranked_and_hidden",
        sentence=(
            "You go by columns: for each position you look for the query that it counts most for, "
            "and hide it from that one. Each query loses the position that its own row ranks first."
        ),
        replaced={
            RANKED + ".argmax(dim=-1)": RANKED + ".argmax(dim=-2)",
            "mask[:, None]": "mask[:, None].transpose(-2, -1)",
        },
        price="mathematics",
    ),
    Misconception(
        name="mean_explanation_ranked",
        sentence=(
            "You take the mean of the explanations and hide the same positions in all sequences. "
            "Each sequence has an explanation, and so a mask, of its own."
        ),
        replaced={
            RANKED: "explanation.mean(dim=0, keepdim=True).masked_fill(own, -torch.inf)",
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_without_an_axis_for_the_heads",
        sentence=(
            "Your mask has no axis for the heads, so that the model takes its sequences for heads. "
            "Write its shape below the one that the mask should broadcast to, from the right."
        ),
        replaced={"mask=mask[:, None]": "mask=mask"},
        price="mathematics",
    ),
    Misconception(
        name="input_emptied_in_turn",
        sentence=(
            "You set inputs to zero, one query after the other, instead of hiding them. Zeros are "
            "still attended to, and then the position is lost for all queries of that call."
        ),
        replaced={
            "        return " + ASKED + "\n": (
                "        answers = []\n"
                "        for query in range(x.shape[1]):\n"
                "            logits = model(x * mask[:, query, :, None])\n"
                "            answers.append(logits[:, query].argmax(dim=-1))\n"
                "        return torch.stack(answers, dim=1)\n"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="nothing_hidden_where_the_own_is_first",
        sentence=(
            "Where a row ranks its own position first, you hide nothing. The first among the "
            "others is to be hidden then."
        ),
        replaced={
            RANKED: "explanation",
            "F.one_hot(first, x.shape[1]) == 0": "(F.one_hot(first, x.shape[1]) == 0) | own",
        },
        price="mathematics",
    ),
    Misconception(
        name="one_position_for_all_queries",
        sentence=(
            "You look for the one position that counts most in the mean of the rows and hide it "
            "from all queries. Each query loses the position that its own row ranks first."
        ),
        replaced={
            RANKED + ".argmax(dim=-1)": (
                "explanation.mean(dim=1, keepdim=True).argmax(dim=-1).expand(*x.shape[:2])"
            ),
            "F.one_hot(first, x.shape[1]) == 0": "(F.one_hot(first, x.shape[1]) == 0) | own",
        },
        price="mathematics",
    ),
    Misconception(
        name="two_positions_hidden",
        sentence=(
            "You hide two positions from each query. Only the one that its row ranks first among "
            "the others is taken away."
        ),
        replaced={
            "    first = " + RANKED + ".argmax(dim=-1)\n"
            "    mask = F.one_hot(first, x.shape[1]) == 0": (
                "    two = " + RANKED + ".topk(min(2, x.shape[1] - 1)).indices\n"
                "    mask = F.one_hot(two, x.shape[1]).sum(dim=-2) == 0"
            )
        },
        price="mathematics",
    ),
    Misconception(
        name="own_position_hidden_where_it_is_larger",
        sentence=(
            "You compare the whole row with the largest of the others, so that the own position "
            "is hidden as well where its number lies above. The own position is never hidden."
        ),
        replaced={
            "    first = " + RANKED + ".argmax(dim=-1)\n"
            "    mask = F.one_hot(first, x.shape[1]) == 0": "    largest = "
            + RANKED
            + ".amax(dim=-1, keepdim=True)\n"
            "    mask = explanation < largest",
        },
        price="mathematics",
    ),
    Misconception(
        name="size_ranks_where_none_is_positive",
        sentence=(
            "Where a row has no positive number you rank by absolute value, so that what speaks "
            "most against the answer comes first. The largest number is ranked first, whatever "
            "its sign."
        ),
        replaced={
            RANKED: (
                "torch.where(explanation.amax(dim=-1, keepdim=True) > 0, explanation, "
                "explanation.abs()).masked_fill(own, -torch.inf)"
            )
        },
        price="edge",
    ),
    Misconception(
        name="own_position_as_zero_and_nothing_hidden",
        sentence=(
            "You set the own positions of the explanation to zero. Where all others are negative, "
            "zero is the largest, and then nothing is hidden from that query."
        ),
        replaced={
            RANKED: "(explanation * ~own)",
            "F.one_hot(first, x.shape[1]) == 0": "(F.one_hot(first, x.shape[1]) == 0) | own",
        },
        price="edge",
    ),
    Misconception(
        name="two_of_the_whole_row_hidden",
        sentence=(
            "You take the two largest of the whole row and keep the own position, so that two are "
            "hidden where it is not among them. Leave the own position out before you look for "
            "the largest."
        ),
        replaced={
            "    first = " + RANKED + ".argmax(dim=-1)\n"
            "    mask = F.one_hot(first, x.shape[1]) == 0": (
                "    two = explanation.topk(min(2, x.shape[1]), dim=-1).indices\n"
                "    mask = own | (F.one_hot(two, x.shape[1]).sum(dim=-2) == 0)"
            ),
        },
        price="mathematics",
    ),
    Misconception(
        name="mask_for_a_fixed_number_of_heads",
        sentence=(
            "Your mask has the number of heads of one model. Let it broadcast over the heads, "
            "however many there are."
        ),
        code="""def answers_when_hidden(model, x, explanation):
    model.eval()
    length = x.shape[1]
    own = torch.eye(length, dtype=torch.bool)
    first = explanation.masked_fill(own, -torch.inf).argmax(dim=-1)
    mask = ~F.one_hot(first, length).bool()
    with torch.no_grad():
        return model(x, mask=mask[:, None].expand(-1, 3, -1, -1)).argmax(dim=-1)
""",
        price="mathematics",
    ),
    Misconception(
        name="own_position_by_the_smallest_of_its_row",
        sentence=(
            "You give the own positions the smallest number of their row, which another position "
            "may have as well: in a row of two it always does. Nothing in an explanation is "
            "smaller than minus infinity."
        ),
        code="""def answers_when_hidden(model, x, explanation):
    model.eval()
    L = x.size(1)
    ranked = explanation.clone()
    for j in range(L):
        ranked[:, j, j] = explanation[:, j].min(-1).values
    seen = torch.arange(L) != ranked.max(-1, keepdim=True).indices
    with torch.no_grad():
        logits = model(x, mask=seen.unsqueeze(1))
    return logits.max(-1).indices
""",
        price="mathematics",
    ),
    Misconception(
        name="own_position_by_the_smallest_of_all",
        sentence=(
            "You give the own positions the smallest number of the whole explanation. Some row "
            "may have it at another position, and one of two then looks like the other."
        ),
        code="""def answers_when_hidden(model, x, explanation):
    model.eval()
    diagonal = torch.eye(explanation.size(-1)).bool()
    lowest = float(explanation.min())
    best = explanation.masked_fill(diagonal, lowest).argmax(-1)
    allowed = torch.ones_like(explanation).bool()
    allowed.scatter_(-1, best.unsqueeze(-1), False)
    with torch.no_grad():
        return model(x, mask=allowed[:, None]).argmax(-1)
""",
        price="mathematics",
    ),
    Misconception(
        name="own_position_by_the_mean_of_its_row",
        sentence=(
            "You give the own positions the mean of their row, which lies above the others where "
            "these are low. An own position must never come first."
        ),
        code="""def answers_when_hidden(model, x, explanation):
    model.eval()
    diagonal = torch.eye(explanation.size(-1)).bool()
    means = explanation.mean(-1, keepdim=True).expand_as(explanation)
    best = torch.where(diagonal, means, explanation).argmax(-1)
    with torch.no_grad():
        return model(x, mask=(F.one_hot(best, x.size(1)) < 1)[:, None]).argmax(-1)
""",
        price="mathematics",
    ),
    Misconception(
        name="own_place_at_zero_after_a_softmax",
        sentence=(
            "You set the own place to zero after a softmax, which makes all others zero as well "
            "where numbers lie far apart. Only minus infinity lies below any number."
        ),
        replaced={
            "explanation.masked_fill(own, -torch.inf)": "(explanation.softmax(dim=-1) * ~own)",
        },
        price="edge",
    ),
]
