"""Known wrong answers to `position_similarity`."""

from __future__ import annotations

from autograder.checking import Misconception

PLACES = "position_embeddings[0, 1:]"
UNIT = "places / places.norm(dim=-1, keepdim=True)"
PRODUCT = "directions @ directions.T"

MISCONCEPTIONS = [
    Misconception(
        "not_normalised",
        "You take the bare dot products, so long vectors look similar to everything. A cosine does "
        "not depend on lengths.",
        {UNIT: "places"},
        price="mathematics",
    ),
    Misconception(
        "class_token_kept",
        "You compare the class token too, which stands nowhere in the picture. Leave it out.",
        {PLACES: "position_embeddings[0]"},
        price="mathematics",
    ),
    Misconception(
        "last_position_dropped",
        "You leave out the last vector. The class token is at the other end.",
        {PLACES: "position_embeddings[0, :-1]"},
        price="mathematics",
    ),
    Misconception(
        "normalised_over_positions",
        "You divide each column by its length instead of each vector. Which axis holds the numbers "
        "of one vector?",
        {UNIT: "places / places.norm(dim=0, keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        "one_length_for_all",
        "You divide all vectors by one number, the length of the whole table. Each vector has its "
        "own length.",
        {UNIT: "places / places.norm()"},
        price="mathematics",
    ),
    Misconception(
        "divided_by_squares",
        "You divide by the squared length of each vector, so long vectors come out too small.",
        {UNIT: "places / places.square().sum(dim=-1, keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        "divided_by_sums",
        "You divide each vector by the sum of its numbers. Its length is something else.",
        {UNIT: "places / places.abs().sum(dim=-1, keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        "normalised_once",
        "You divide by the length of one of the two vectors only, so the table is not symmetric.",
        {PRODUCT: "directions @ places.T"},
        price="mathematics",
    ),
    Misconception(
        "distances",
        "You measure how far apart the vectors are. Similarity of direction is asked for, and it "
        "is large where things are alike.",
        {PRODUCT: "torch.cdist(places, places)"},
        price="mathematics",
    ),
    Misconception(
        "features_compared",
        "You compare the columns of the table, not its rows, so the answer has one row for each "
        "number of a vector.",
        {PRODUCT: "directions.T @ directions"},
        price="mathematics",
    ),
    Misconception(
        "means_removed",
        "You subtract each vector's mean first, which makes a correlation of it. The formula has "
        "no such step.",
        {PLACES: "(position_embeddings - position_embeddings.mean(dim=-1, keepdim=True))[0, 1:]"},
        price="mathematics",
    ),
    Misconception(
        "softmax_of_similarities",
        "You turn the similarities into weights that sum to one. They should stay cosines.",
        {PRODUCT: "torch.softmax(directions @ directions.T, dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "batch_axis_kept",
        "You keep the axis of length one in front. The question asks for one table.",
        {PRODUCT: "(directions @ directions.T)[None]"},
        price="mathematics",
    ),
    Misconception(
        "one_length_squared",
        "You divide each row by one length squared. Two vectors meet in a product, and each of "
        "them has a length.",
        {UNIT: "places", PRODUCT: "places @ places.T / places.square().sum(dim=-1, keepdim=True)"},
        price="mathematics",
    ),
    Misconception(
        "large_epsilon",
        "You add a small number to the lengths, but next to the shortest that the question names "
        "it is not small enough. No vector is zero: is it needed?",
        {UNIT: "places / (places.norm(dim=-1, keepdim=True) + 1e-6)"},
        price="edge",
    ),
    Misconception(
        "epsilon_beside_the_product",
        "You add a small number to the product of two lengths, but where both are short their "
        "product is far smaller than either. No vector is zero: is it needed?",
        {
            UNIT: "places.norm(dim=-1, keepdim=True)",
            PRODUCT: "places @ places.T / (directions @ directions.T + 1e-8)",
        },
        price="edge",
    ),
    Misconception(
        "cosine_distance",
        "You subtract the cosines from one, which gives distances: zero where things are alike. "
        "The similarities themselves are asked for.",
        {PRODUCT: "1 - directions @ directions.T"},
        price="mathematics",
    ),
    Misconception(
        "one_less_the_distance",
        "You subtract from one how far the directions are apart. A similarity made in this way is "
        "no cosine.",
        {PRODUCT: "1 - torch.cdist(directions, directions)"},
        price="mathematics",
    ),
    Misconception(
        "sign_lost",
        "You take the absolute value, so opposite directions count as alike. A cosine has a sign.",
        {PRODUCT: "(directions @ directions.T).abs()"},
        price="mathematics",
    ),
    Misconception(
        "negative_ones_cut",
        "You cut negative similarities off at zero. Opposite directions have a negative cosine, "
        "and it should be seen.",
        {PRODUCT: "(directions @ directions.T).clamp(min=0)"},
        price="mathematics",
    ),
    Misconception(
        "each_with_itself",
        "You compare each vector with itself alone, which gives one number for each. All pairs are "
        "asked for: rows and columns need axes of their own.",
        {PRODUCT: "F.cosine_similarity(places, places, dim=-1)"},
        price="mathematics",
    ),
    Misconception(
        "divided_by_the_largest",
        "You divide all dot products by the largest of them, so long vectors still look similar "
        "to everything. Each product has two lengths of its own.",
        {UNIT: "places @ places.T", PRODUCT: "directions / directions.max()"},
        price="mathematics",
    ),
    Misconception(
        "centred_over_positions",
        "You subtract the mean of all positions first. A cosine is an angle at the origin, and the "
        "formula leaves the vectors where they are.",
        {
            PLACES: "position_embeddings[0, 1:]\n    places = places - places.mean(dim=0)",
            UNIT: "F.normalize(places, dim=-1)",
        },
        price="mathematics",
    ),
    Misconception(
        "all_axes_of_one_squeezed",
        "You take away every axis of length one, which can be those of the positions or of the "
        "numbers as well. Say which axis is meant.",
        {PLACES: "position_embeddings[:, 1:].squeeze()"},
    ),
    Misconception(
        "epsilon_beside_the_squares",
        "You add a small number to the squares of the lengths, but the square of a short length is "
        "far smaller than the length. No vector is zero: is it needed?",
        {UNIT: "places / (places.square().sum(dim=-1, keepdim=True) + 1e-6).sqrt()"},
        price="edge",
    ),
    Misconception(
        "short_lengths_held_up",
        "You do not divide by lengths that are small, so short vectors are unlike themselves. "
        "Divide by the length, whatever it is.",
        {UNIT: "F.normalize(places, dim=-1, eps=1e-2)"},
    ),
    Misconception(
        "weights_of_attention",
        "You compute what attention does: scaled products, as weights that sum to one. The cosine "
        "has another formula, which divides by two lengths.",
        {UNIT: "places", PRODUCT: "torch.softmax(places @ places.T / places.shape[-1] ** 0.5, -1)"},
        price="mathematics",
    ),
    Misconception(
        name="scaled_as_in_attention",
        price="mathematics",
        sentence=(
            "You divide the dot products by the root of the number of dimensions, as attention "
            "does. A cosine divides by the lengths of the two vectors."
        ),
        replaced={
            (
                "    directions = places / places.norm(dim=-1, keepdim=True)\n"
                "    return directions @ directions.T"
            ): "    return places @ places.T / places.shape[-1] ** 0.5",
        },
    ),
    Misconception(
        name="from_zero_to_one",
        price="mathematics",
        sentence=(
            "You bring the cosines into the range from 0 to 1. Opposite directions have a cosine "
            "of -1, and it should be seen as such."
        ),
        replaced={
            "return directions @ directions.T": "return (directions @ directions.T + 1) / 2",
        },
    ),
    Misconception(
        name="constant_too_large",
        sentence=(
            "The small number that you add is not small beside short vectors. Lengths of a "
            "thousandth count, too."
        ),
        code="""def position_similarity(position_embeddings):
    e = position_embeddings[0, 1:]
    n = e.norm(dim=1)
    return (e @ e.T) / (n[:, None] * n[None] + 1e-6)
""",
        price="edge",
    ),
    Misconception(
        name="added_to_lengths",
        sentence=(
            "You add a number to the lengths. Short vectors count, too: limit what is zero alone."
        ),
        code="""def position_similarity(position_embeddings):
    e = position_embeddings[0, 1:]
    lengths = torch.sqrt((e**2).sum(dim=1, keepdim=True)) + 1e-5
    unit = e / lengths
    return torch.matmul(unit, unit.transpose(0, 1))
""",
        price="edge",
    ),
    Misconception(
        name="lengths_raised",
        sentence=(
            "You add a small number to the lengths, which is not small beside short vectors. "
            "Divide by the lengths themselves."
        ),
        code="""def position_similarity(position_embeddings):
    e = position_embeddings[0, 1:]
    lengths = e.norm(dim=1)
    large = lengths > 0.1
    lengths = torch.where(large, lengths, lengths + 1e-3)
    return (e @ e.T) / torch.outer(lengths, lengths)
""",
        price="edge",
    ),
]
