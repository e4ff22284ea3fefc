"""What several check files of this assignment share: how the layers inside of a module are found,
and what the models are like in which an answer looks around."""

from __future__ import annotations

from typing import Any

from autograder.checking import Tokens, Tracing

BY_ATTENTION = Tracing("MultiHeadAttention", ("query", "key", "value"), "heads")

TRANSFORMER: dict[str, Any] = {
    "sizes": {
        **{"N": 2, "L_src": 6, "L": 5, "vocab_size": 11, "heads": 2, "d_head": 4, "d_ff": 7},
        "num_layers": 2,
    },
    "multiples": {"d_head": 2},
    "smallest": {"vocab_size": 3},
    "traced": BY_ATTENTION,
}
IDS = {"src": Tokens("N L_src", "vocab_size"), "tgt": Tokens("N L", "vocab_size", inside=True)}
