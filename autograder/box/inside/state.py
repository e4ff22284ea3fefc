"""The state of Python and torch that every probe finds, whatever ran before it.

What answers change on purpose, names and files, stays. Functions are those looked up before
student code ran.
"""

from __future__ import annotations

import gc
import random
import signal
import sys

import numpy as np
import torch
from torch.nn.modules import module

_seed_python, _seed_numpy = random.seed, np.random.seed
seed_torch = torch.default_generator.manual_seed  # `torch.manual_seed` notes its callers, slowly
_enable_gradients = torch._C._set_grad_enabled
_dtype, _set_dtype = torch.float32, torch._C._set_default_dtype
_device, _set_device = torch.get_default_device, torch.set_default_device
_empty = torch.empty
_set_threads = torch.set_num_threads
_set_deterministic = torch._C._set_deterministic_algorithms
_set_anomaly = torch.set_anomaly_enabled
_set_autocast = torch._C.set_autocast_enabled
_set_numpy_errors, _numpy_errors = np.seterr, np.geterr()
_set_recursion, _recursion = sys.setrecursionlimit, sys.getrecursionlimit()
_set_trace, _set_profile = sys.settrace, sys.setprofile
_set_timer = signal.setitimer
_collect_garbage = gc.enable
_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
_HOOKS = [hooks for name, hooks in vars(module).items() if name.startswith("_global_")]
_cpu = torch.device("cpu")
_infers, _inference_mode = torch.is_inference_mode_enabled, torch._C._InferenceMode
_ended: list[object] = []  # what ends a mode lasts as long as it is kept


def settle(seed: int) -> None:
    """Puts what most calls rest on where a fresh process has it: gradients, kind, torch's seed."""
    _enable_gradients(True)
    _set_dtype(_dtype)
    seed_torch(seed)


def leave_missing_device() -> None:
    """Makes the CPU the default again where a cell has chosen a device that is not there."""
    if _default_device() is None:
        _set_device(None)


def _default_device() -> torch.device | None:
    """Where tensors are made; None for what is not there, of which torch raises when asked."""
    try:
        device = _device()
        if device != _cpu:
            _empty(0)
        return device
    except BaseException:  # student code may have left open what has a say in it
        return None


def begin(seed: int) -> None:
    """Gives torch and Python the state that a fresh process has, and random numbers of `seed`."""
    if _infers():  # in a block that was left open
        _ended.append(_inference_mode(False))
    if _default_device() != _cpu:
        _set_device(None)
    _set_threads(1)
    _set_deterministic(False)
    _set_anomaly(False)
    _set_autocast("cpu", False)
    for hooks in _HOOKS:
        if isinstance(hooks, dict):
            hooks.clear()
    _set_numpy_errors(**_numpy_errors)
    _set_recursion(_recursion)
    _set_trace(None)
    _set_profile(None)
    for timer in _TIMERS:
        _set_timer(timer, 0)
    _collect_garbage()
    _seed_python(seed)
    _seed_numpy(seed % 2**32)
    settle(seed)
