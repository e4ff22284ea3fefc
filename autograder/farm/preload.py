"""Loads what workers need, in the process that they are forked from."""

import gc

gc.disable()  # what is imported stays: looking for garbage takes a quarter of the time

import distributed  # noqa: E402, F401

import autograder.farm.worker  # noqa: E402
import autograder.grading.cache  # noqa: E402
import autograder.grading.readiness  # noqa: E402
import autograder.nbgrader.preprocessors  # noqa: E402, F401

gc.freeze()
gc.enable()
