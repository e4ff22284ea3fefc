"""What a zygote does once, so that no box has to: imports, first calls, first drawings."""

from __future__ import annotations

import contextlib
import gc
import importlib.metadata
import io
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import nn

    from autograder.box.inside.shell import BoxShell


def warm(imports: list[str], directory: str) -> BoxShell:
    """Imports and touches everything slow; returns the shell that every box starts with."""
    gc.disable()  # what is imported stays: looking for garbage takes a quarter of the time

    from autograder.box.inside import examination, worker  # noqa: F401 - boxes find them loaded
    from autograder.box.inside.shell import make_shell
    from autograder.box.walls.deferring import defer_compiler

    defer_compiler()
    for name in imports:
        with contextlib.suppress(Exception):  # the notebook itself meets it, and may be prepared
            package, _, part = name.rpartition(".")
            __import__(package or name, fromlist=[part])  # asks a lazy module for the part
    _learn_once()
    if "matplotlib" in sys.modules:
        _draw_once()
    _load_once(imports)
    importlib.metadata.version("torch")  # lists what is installed, which first cells ask for
    shell = make_shell(directory)
    _fail_once(shell)
    gc.freeze()
    _answer_once("meta")  # where batteries ask, too
    gc.collect()  # of what that leaves behind; it would meet who looks at all objects
    gc.freeze()
    gc.enable()
    return shell


def _learn_once() -> None:
    """Makes torch look up its kernels and names, and load what the first optimizer needs."""
    import torch

    torch.manual_seed(0)
    torch.optim.Adam(_answer_once("cpu").parameters()).step()
    torch.allclose(torch.ones(2), torch.ones(2))
    torch.overrides.resolve_name(torch.softmax)


def _fail_once(shell: BoxShell) -> None:
    """Makes the shell read the files that stand in the traceback of most wrong answers."""
    import torch

    try:
        torch.nn.Linear(2, 2)(torch.ones(3))
    except RuntimeError as error:
        shell.prepare_to_show(error)


def _answer_once(device: str) -> nn.Module:
    """Calls and differentiates what most answers are made of; a layer with its gradients."""
    import torch

    layer = torch.nn.Linear(2, 2, device=device)
    x = torch.ones(1, 2, 2, device=device)
    output = torch.softmax(layer(x) @ x.mT * 2 + x / 2, dim=-1)
    output.masked_fill(output > 1, 0.0).sum().backward()  # type: ignore[no-untyped-call]
    torch.nn.LayerNorm(2, device=device)(output).relu().flatten(1)
    return layer


def _draw_once() -> None:
    """Loads the fonts and the renderer."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure()
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title("Warm $x$")
    axes.plot([0, 1], label="x")
    axes.legend()
    figure.savefig(io.BytesIO(), format="png", bbox_inches="tight")


def _load_once(imports: list[str]) -> None:
    """Makes the tables by which weights and pictures are loaded, where notebooks load any."""
    if "PIL.Image" in sys.modules and any(name.partition(".")[0] == "PIL" for name in imports):
        from PIL import Image

        Image.init()
    if "transformers.modeling_utils" in sys.modules:
        with contextlib.suppress(ImportError):  # nobody promises that it is there
            from transformers.conversion_mapping import get_checkpoint_conversion_mapping

            get_checkpoint_conversion_mapping("")
