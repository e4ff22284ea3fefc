"""Formulas become MathML, and stay LaTeX where they are odd or cost too much."""

from __future__ import annotations

import pytest

from autograder.pages.formulas import MAX_FORMULA, MAX_FORMULA_CHARS, Formulas
from autograder.pages.texts import markdown_to_html


def test_formulas_become_mathml_and_odd_ones_stay_latex() -> None:
    page = markdown_to_html(r"$\frac{1}{\sqrt{d_k}}$ and $\frac{$", {}, Formulas())
    assert "<mfrac><mrow><mn>1</mn></mrow><mrow><msqrt>" in page
    assert r"$\frac{$" in page
    rows = Formulas()(r"\begin{cases} a \\[2ex] b \end{cases}", display=True)
    assert rows is not None
    assert "2ex" not in rows


@pytest.mark.parametrize(
    "latex",
    [
        "x" * (MAX_FORMULA + 1),
        "{" * 300 + "}" * 300,
        r"\def\a{\b\b}\def\b{\c\c}\a",
        r"\newcommand{\a}{x}\a",
        r"\frac{",
    ],
)
def test_a_formula_that_costs_too_much_stays_latex(latex: str) -> None:
    assert Formulas()(latex, display=False) is None


def test_the_formulas_of_a_page_have_a_budget_together() -> None:
    formulas = Formulas()
    made = [formulas("x" * 1000, display=False) for _ in range(MAX_FORMULA_CHARS // 1000 + 1)]
    assert made.index(None) == MAX_FORMULA_CHARS // 1000


def test_the_size_of_a_space_in_a_formula_is_bounded() -> None:
    assert "9999" not in str(Formulas()(r"\hspace{9999em} \rule{9999em}{1em} x", display=False))
