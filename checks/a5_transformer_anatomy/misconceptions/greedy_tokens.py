"""The wrong axis, or no probabilities."""

from autograder.checking import Misconception

CHANCES = "probabilities = torch.softmax(logits, dim=-1)"
RESULT = "return probabilities, probabilities.argmax(dim=-1)"

MISCONCEPTIONS = [
    Misconception(
        name="softmax_over_positions",
        price="mathematics",
        sentence=(
            "Your softmax runs over the positions, so the tokens of a position do not compete with "
            "each other. Look at which axis of (N, L, V) counts the vocabulary."
        ),
        replaced={CHANCES: "probabilities = torch.softmax(logits, dim=1)"},
    ),
    Misconception(
        name="positions_compete",
        price="mathematics",
        sentence=(
            "Softmax and argmax both run over the positions, as if these competed for a token. "
            "Look at which axis of (N, L, V) counts the vocabulary."
        ),
        replaced={
            CHANCES: "probabilities = torch.softmax(logits, dim=1)",
            RESULT: "return probabilities, probabilities.argmax(dim=1)",
        },
    ),
    Misconception(
        name="best_position_instead_of_token",
        price="mathematics",
        sentence=(
            "Your argmax runs over the positions: it says where a token is most probable, not "
            "which token is. Look at which axis counts the vocabulary."
        ),
        replaced={RESULT: "return probabilities, probabilities.argmax(dim=1)"},
    ),
    Misconception(
        name="log_probabilities",
        price="mathematics",
        sentence=(
            "You return logarithms of probabilities. The tokens are the same, but the question "
            "asks for the probabilities themselves."
        ),
        replaced={CHANCES: "probabilities = torch.log_softmax(logits, dim=-1)"},
    ),
    Misconception(
        name="sigmoid_of_each_logit",
        price="mathematics",
        sentence=(
            "You squash each logit by itself, so the probabilities of a position do not sum to 1. "
            "One token has to be chosen out of all: they must compete."
        ),
        replaced={CHANCES: "probabilities = torch.sigmoid(logits)"},
    ),
    Misconception(
        name="exponential_overflows",
        price="edge",
        sentence=(
            "You exponentiate the logits as they are, and large ones overflow. The softmax of "
            "PyTorch avoids that."
        ),
        replaced={CHANCES: "probabilities = logits.exp() / logits.exp().sum(dim=-1, keepdim=True)"},
    ),
    Misconception(
        name="sampled_instead_of_greedy",
        price="mathematics",
        sentence=(
            "You draw tokens at random according to their probabilities. Greedy means taking the "
            "most probable one."
        ),
        replaced={
            RESULT: (
                "flat = probabilities.reshape(-1, probabilities.shape[-1])\n"
                "    drawn = torch.multinomial(flat, 1).reshape(probabilities.shape[:-1])\n"
                "    return probabilities, drawn"
            )
        },
    ),
    Misconception(
        name="ids_keep_an_axis",
        price="mathematics",
        sentence=(
            "Your ids still have an axis of size 1 where the vocabulary was. Each position has "
            "one id."
        ),
        replaced={
            "probabilities.argmax(dim=-1)": "probabilities.argmax(dim=-1, keepdim=True)",
        },
    ),
    Misconception(
        name="pair_swapped",
        price="mathematics",
        sentence=(
            "You return the ids first and the probabilities second. The question asks for the "
            "opposite order."
        ),
        replaced={
            "return probabilities, probabilities.argmax(dim=-1)": (
                "return probabilities.argmax(dim=-1), probabilities"
            ),
        },
    ),
    Misconception(
        name="best_of_rounded_probabilities",
        price="edge",
        sentence=(
            "You round the probabilities before you choose, and several tokens come out alike. "
            "The most probable one may be so by little."
        ),
        replaced={"probabilities.argmax(": "probabilities.round(decimals=3).argmax("},
    ),
    Misconception(
        name="ids_of_few_bits",
        price="edge",
        sentence=(
            "Your ids are kept in numbers too small for a large vocabulary, and begin anew where "
            "these end. Leave them as they are found."
        ),
        replaced={
            "probabilities.argmax(dim=-1)": ("probabilities.argmax(dim=-1).to(torch.int16).long()"),
        },
    ),
    Misconception(
        name="logits_cut_off",
        price="edge",
        sentence=(
            "You cut large logits off, and beyond that border all tokens are alike. A softmax asks "
            "only how far logits lie apart, so it need not lose the large ones."
        ),
        replaced={
            CHANCES: "probabilities = torch.softmax(logits.clamp(-80, 80), dim=-1)",
            RESULT: "return probabilities, logits.argmax(dim=-1)",
        },
    ),
    Misconception(
        name="largest_of_all_subtracted",
        price="edge",
        sentence=(
            "You subtract the largest logit of the whole batch, and where all logits are far below "
            "it only zeros are left. Each position has a largest logit of its own."
        ),
        replaced={
            CHANCES: (
                "powers = (logits - logits.max()).exp()\n"
                "    probabilities = powers / powers.sum(dim=-1, keepdim=True)"
            ),
        },
    ),
    Misconception(
        name="large_logits_cut_off",
        sentence=(
            "You hold large logits down so that their exponentials stay finite, and those beyond "
            "the border come out alike. A softmax asks only how far logits lie apart."
        ),
        replaced={
            CHANCES: (
                "powers = logits.clamp(max=80).exp()\n"
                "    probabilities = powers / powers.sum(dim=-1, keepdim=True)"
            ),
            RESULT: "return probabilities, logits.argmax(dim=-1)",
        },
        price="edge",
    ),
    Misconception(
        name="softmax_over_positions_and_right_ids",
        price="mathematics",
        sentence=(
            "Your ids are right, but your softmax runs over the positions. Your argmax already "
            "knows which axis of (N, L, V) counts the vocabulary."
        ),
        replaced={
            CHANCES: "probabilities = torch.softmax(logits, dim=1)",
            RESULT: "return probabilities, logits.argmax(dim=-1)",
        },
    ),
    Misconception(
        name="id_of_the_last_position_alone",
        price="mathematics",
        sentence=(
            "You choose a token at the last position alone, as one does while a text is written. "
            "Here each position gets its id."
        ),
        replaced={RESULT: "return probabilities, probabilities[:, -1:].argmax(dim=-1)"},
    ),
    Misconception(
        name="ids_of_logits_cut_off",
        price="edge",
        sentence=(
            "You cut large logits off before anything else, so that ids and probabilities both "
            "take tokens beyond that border for alike. A softmax asks only how far logits lie "
            "apart."
        ),
        replaced={CHANCES: "probabilities = torch.softmax(logits.clamp(-50, 50), dim=-1)"},
    ),
    Misconception(
        name="probability_of_the_best_alone",
        price="mathematics",
        sentence=(
            "You return how probable the best token of each position is. The probabilities of all "
            "tokens of the vocabulary are asked for."
        ),
        replaced={RESULT: "return probabilities.max(dim=-1)"},
    ),
    Misconception(
        name="sharpened_by_a_temperature",
        price="mathematics",
        sentence=(
            "You divide the logits by a number before the softmax, a temperature. The formula has "
            "none, and it does not change which token is the best."
        ),
        replaced={CHANCES: "probabilities = torch.softmax(logits / 0.7, dim=-1)"},
    ),
    Misconception(
        name="id_of_the_last_position_repeated",
        price="mathematics",
        sentence=(
            "You choose a token at the last position and give it to all others. While a text is "
            "written only the last one counts, but here each position has its own."
        ),
        replaced={
            RESULT: (
                "last = probabilities[:, -1:].argmax(dim=-1)\n"
                "    return probabilities, last.expand(logits.shape[:2])"
            )
        },
    ),
]
