"""What is told of a cell that stopped."""

from __future__ import annotations

from autograder.box.outside.replies import CellReply
from autograder.grading.shown import told_by


def test_of_a_magic_that_is_not_there_the_text_is_told() -> None:
    streams = [
        {"output_type": "stream", "name": "stderr", "text": "no\nUsageError: Cell magic `%%x`.\n"},
        {"output_type": "stream", "name": "stdout", "text": "UsageError: printed\n"},
    ]
    reply = CellReply(streams, 1, "UsageError", truncated=False, did_without="")
    assert told_by(reply) == ("UsageError", "Cell magic `%%x`", None)
