"""What goes on, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector

from autograder.service.desk import Desk

NAME = "autograder_checks"


class Metrics(Collector):
    """The desk's measures; no student and no question is named."""

    media_type = CONTENT_TYPE_LATEST

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    def text(self) -> bytes:
        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry)

    def collect(self) -> Iterable[Metric]:
        """See `Collector`."""
        found = self._desk.measures()
        gauges = {
            "waiting": (found.waiting, "Checks in the queue."),
            "running": (found.running, "Checks under way."),
            "workers": (found.workers, "Workers that are there."),
            "median_seconds": (found.median, "From question to answer, lately."),
            "p95_seconds": (found.p95, "The slowest twentieth, lately."),
        }
        for name, (value, help) in gauges.items():
            yield GaugeMetricFamily(f"{NAME}_{name}", help, value=value)
        counters = {
            "answered": (found.answered, "Checks that workers answered."),
            "failed": (found.failed, "Checks that got no answer."),
            "from_cache": (found.from_cache, "Checks whose answer was known."),
        }
        for name, (value, help) in counters.items():
            yield CounterMetricFamily(f"{NAME}_{name}", help, value=value)
