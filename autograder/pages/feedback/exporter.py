"""Makes the feedback page: the exporter, and the few filters that turn text into markup.

Theory of operation. The notebook is made inert first. The template then escapes whatever it
prints; what is markup comes out of a filter below, which cleaned or escaped it. The page has no
script, and its Content-Security-Policy forbids scripts and all that would be fetched. nbgrader's
converter copies what else was handed in beside the page, where a browser would run some of it. An
exporter is made once a run, before the first page, and knows its converter: so it puts in place of
that step one that leaves out what is not harmless.
"""

from __future__ import annotations

import shutil
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from nbconvert.exporters import Exporter
from nbformat import NotebookNode
from nbgrader.converters import GenerateFeedback
from nbgrader.preprocessors import ClearHiddenTests, ClearMarkScheme
from nbgrader.utils import find_all_files
from traitlets import default

from autograder.pages.feedback.content import Page, Region, feedback, looks_like_a_page
from autograder.pages.feedback.pictures import drawing, where_wrong
from autograder.pages.inert import POLICY, SanitizeOutputs, language
from autograder.pages.prose import names_as_code
from autograder.pages.typesetter import Typesetter
from autograder.results import sentences
from autograder.results.plain import straight

HARMLESS = {".txt", ".csv", ".tsv", ".json", ".md", ".png", ".jpg", ".jpeg", ".gif"}
"""The one ending of files that no browser or web server runs, or obeys."""
WIDE = 72  # characters of a line of code that may have to be scrolled
WIDE_OUTPUT, LONG_OUTPUT = 40, 20  # characters of a line, on a phone too, and lines


class FeedbackExporter(Exporter):  # type: ignore[misc]
    """The exporter of `nbgrader generate_feedback`."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        if isinstance(self.parent, GenerateFeedback):
            self.parent.init_assignment = self._init_assignment

    def _init_assignment(self, assignment_id: str, student_id: str) -> None:
        """Copies into the folder of one submission what may lie beside its pages."""
        course = self.parent.coursedir
        steps = (course.autograded_directory, course.feedback_directory)
        graded, feedback = (
            Path(course.format_path(step, student_id, assignment_id)) for step in steps
        )
        feedback.mkdir(parents=True, exist_ok=True)
        for found in map(Path, find_all_files(str(graded), course.ignore)):
            endings = [ending.lower() for ending in found.suffixes]
            if len(endings) == 1 and endings[0] in HARMLESS and not found.is_symlink():
                copied = feedback / found.relative_to(graded)
                copied.parent.mkdir(parents=True, exist_ok=True)
                copied.unlink(missing_ok=True)
                shutil.copy(found, copied)

    @default("file_extension")
    def _file_extension_default(self) -> str:
        return ".html"

    def from_notebook_node(
        self, nb: NotebookNode, resources: dict[str, Any] | None = None, **kw: Any
    ) -> tuple[str, dict[str, Any]]:
        nb, resources = super().from_notebook_node(nb, resources, **kw)
        nb, resources = SanitizeOutputs().preprocess(nb, resources)
        page = feedback(nb, resources, self._hidden_regions())
        return rendered(page, language(nb)), resources

    def _hidden_regions(self) -> list[Region]:
        """What nbgrader cut from the release, and puts back when it grades by asserts in cells."""
        tests, scheme = ClearHiddenTests(parent=self), ClearMarkScheme(parent=self)
        return [
            Region(tests.begin_test_delimeter, tests.end_test_delimeter),
            Region(scheme.begin_mark_scheme_delimeter, scheme.end_mark_scheme_delimeter),
        ]


def rendered(page: Page, code_in: str = "ipython3") -> str:
    """The whole HTML of a page whose code is written in the language `code_in`."""
    return (
        _environment()
        .get_template("feedback.html.j2")
        .render(
            page=page,
            policy=POLICY,
            typesetter=Typesetter(),
            language=code_in,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("autograder.pages.feedback"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: straight(value) if type(value) is str else value,
    )
    environment.filters.update(
        base64=lambda text: b64encode(text.encode()).decode(),
        drawing=drawing,
        listed=sentences.listed,
        points=lambda number: f"{round(number, 2):g}",
        prose=prose,
        where_wrong=where_wrong,
    )
    environment.tests["wide"] = lambda text: _width(text) > WIDE
    environment.tests["scrolled"] = lambda text: (
        _width(text) > WIDE_OUTPUT or text.count("\n") >= LONG_OUTPUT
    )
    environment.globals.update(
        followed_through=sentences.followed_through, looks_like_a_page=looks_like_a_page
    )
    return environment


def _width(text: str) -> int:
    return max(map(len, text.splitlines()), default=0)


def prose(text: str) -> Markup:
    """A sentence whose `names` are set as code."""
    return names_as_code(straight(text))
