"""How often someone may ask, as a steady rate with a burst, for a bounded number of names.

For each name the time is kept at which its allowance is whole again (generic cell rate algorithm);
whoever is forgotten, because too many others came, starts anew.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

KEPT_NAMES = 20_000


class Rate:
    """At most `count` in `seconds` for each name."""

    def __init__(
        self, count: int, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._pause = seconds / count
        self._seconds = seconds
        self._clock = clock
        self._used_until: OrderedDict[str, float] = OrderedDict()

    def wait_seconds(self, name: str) -> float:
        """How long until `charge` would be within the rate; 0 for now."""
        used = self._used_until.get(name, 0.0) - self._clock()
        return max(0.0, used + self._pause - self._seconds)

    def charge(self, name: str) -> None:
        """Counts one."""
        start = max(self._used_until.pop(name, 0.0), self._clock())
        self._used_until[name] = start + self._pause
        if len(self._used_until) > KEPT_NAMES:
            self._used_until.popitem(last=False)
