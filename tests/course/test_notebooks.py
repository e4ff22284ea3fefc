"""The instructor's own notebooks, as version control and editors may leave them."""

from __future__ import annotations

from pathlib import Path

import pytest
from mini import mini_assignment, write_source

from autograder.errors import UsageError

DAMAGED = [
    "",
    "<<<<<<< HEAD\n{}",
    "[]",
    "{}",
    '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
    '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [3]}',
    '{"nbformat": 9, "nbformat_minor": 0, "metadata": {}, "cells": []}',
    '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{"cell_type": "code"}]}',
]


@pytest.mark.parametrize("text", DAMAGED, ids=range(len(DAMAGED)))
def test_a_damaged_one_is_told_in_a_sentence(tmp_path: Path, text: str) -> None:
    mini = mini_assignment(tmp_path)
    write_source(mini)
    for path in (mini.release_path, mini.source_path):
        path.write_text(text)
    with pytest.raises(UsageError, match=rf"release.*{mini.id}\.ipynb is no notebook that can be"):
        _ = mini.release
    with pytest.raises(UsageError, match=rf"source.*{mini.id}\.ipynb is no notebook that can be"):
        _ = mini.solved
