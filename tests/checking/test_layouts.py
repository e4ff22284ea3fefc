"""The solution's weights find their place whatever a student calls the layers."""

from __future__ import annotations

import pytest

from autograder.checking.layouts import Shape, layouts

SIZE, BLOCKS = 4, 3


def stack(template: str, *norms: str) -> dict[str, tuple[int, ...]]:
    """Shapes of the parameters of some blocks, each a layer and norms in this order."""
    found: dict[str, tuple[int, ...]] = {}
    for number in range(BLOCKS):
        block = template.format(number)
        found |= {f"{block}.mix.weight": (SIZE, SIZE), f"{block}.mix.bias": (SIZE,)}
        for norm in norms:
            found |= {f"{block}.{norm}.{kind}": (SIZE,) for kind in ("weight", "bias")}
    return found


ROLES = stack("blocks.{}", "first_norm", "second_norm")


def test_parts_of_repeated_blocks_change_places_in_all_blocks_at_once() -> None:
    mine = stack("layers.{}", "b", "a")
    found = layouts(mine, ROLES)
    assert len(found) == 2
    for layout in found:
        chosen = [layout[f"layers.{n}.a.weight"].roles[0] for n in range(BLOCKS)]
        assert [role.split(".")[1] for role in chosen] == ["0", "1", "2"]
        assert len({role.split(".")[2] for role in chosen}) == 1


def test_blocks_may_carry_their_number_in_a_name() -> None:
    mine = stack("block{}", "norms.0", "norms.1")
    orders = {layout["block2.norms.0.bias"].roles for layout in layouts(mine, ROLES)}
    assert orders == {("blocks.2.first_norm.bias",), ("blocks.2.second_norm.bias",)}


def test_a_block_too_many_has_no_place() -> None:
    assert layouts({**stack("b.{}", "m", "n"), "b.3.m.weight": (SIZE,)}, ROLES) == []


def test_six_families_in_which_nothing_fits_are_not_all_tried() -> None:
    roles = {f"{family}{n}.table": (1, family, 8) for family in range(2, 8) for n in range(4)}
    mine = {name: (shape[1], 1, 8) for name, shape in roles.items()}
    assert layouts(mine, roles) == []  # of 24**6 ways none is one


@pytest.mark.parametrize(
    ("mine", "roles"),
    [
        ({"scale": ()}, {"scale": (1,)}),
        ({"scale": (1,)}, {"scale": ()}),
        ({"gain": (), "weight": (4, 2)}, {"layer.weight": (2, 3), "layer.bias": (3,)}),
    ],
)
def test_a_single_number_has_no_rows_to_be_filled(
    mine: dict[str, Shape], roles: dict[str, Shape]
) -> None:
    assert layouts(mine, roles) == []


@pytest.mark.parametrize("name", ["all_three", "output_and_others", "value_key_query"])
def test_layers_in_one_lie_in_the_order_of_their_use_first_whatever_it_is_called(name: str) -> None:
    def layer(called: str, rows: int) -> dict[str, Shape]:
        return {f"{called}.weight": (rows, SIZE), f"{called}.bias": (rows,)}

    roles = {
        k: v for one in ("query", "key", "value", "output") for k, v in layer(one, SIZE).items()
    }
    first = layouts(layer(name, 3 * SIZE) | layer("last", SIZE), roles)[0]
    assert first[f"{name}.weight"].roles == ("query.weight", "key.weight", "value.weight")
    assert first["last.bias"].roles == ("output.bias",)
