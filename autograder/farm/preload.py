"""Loads what workers need, in the process that they are forked from, and forks a zygote of it."""

import gc
import tempfile

gc.disable()  # what is imported stays: looking for garbage takes a quarter of the time

from autograder.farm import template  # noqa: E402

asked = template.asked()

import torch  # noqa: E402, F401

if asked is not None:
    template.fork_zygote(asked)

import distributed  # noqa: E402, F401

import autograder.farm.worker  # noqa: E402
import autograder.grading.cache  # noqa: E402
import autograder.grading.readiness  # noqa: E402
import autograder.nbgrader.preprocessors  # noqa: E402, F401

tempfile.tempdir = None  # those that are forked have another environment
gc.freeze()
gc.enable()
