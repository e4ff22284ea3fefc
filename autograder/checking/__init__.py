"""What check files are written with.

A check is a pytest test in `checks/<assignment>/check_<slug>.py`. Its function is named
`check_<name>`, its docstring's first line tells the student what it looks at, `@points` says what
it is worth. It asks the student's code through probes (`student.run(probe, **inputs)`) and judges
the reply, either against expected tensors (`expected.match`) or by a property that holds for any
right answer (`expect`, `expect_shape`, `expect_close`).
"""

from autograder.checking.asking import Reply, Student
from autograder.checking.battery import Battery
from autograder.checking.comparing import expect_close, expect_shape
from autograder.checking.domain import Domain, Tracing
from autograder.checking.expected import Expected
from autograder.checking.failures import CheckFailure, Seen, expect
from autograder.checking.inputs import Floats, Integers, Masks, Tokens, Weights
from autograder.checking.marks import points, values
from autograder.checking.misconceptions import Misconception
from autograder.checking.probing import Probe, probe
from autograder.checking.properties import (
    buffer_of,
    expect_count,
    expect_dropped,
    expect_floats,
    numbers,
    same,
    sizes_of,
)
from autograder.checking.shared import shared

__all__ = [
    "Battery",
    "CheckFailure",
    "Domain",
    "Expected",
    "Floats",
    "Integers",
    "Masks",
    "Misconception",
    "Probe",
    "Reply",
    "Seen",
    "Student",
    "Tokens",
    "Tracing",
    "Weights",
    "buffer_of",
    "expect",
    "expect_close",
    "expect_count",
    "expect_dropped",
    "expect_floats",
    "expect_shape",
    "numbers",
    "points",
    "probe",
    "same",
    "shared",
    "sizes_of",
    "values",
]
