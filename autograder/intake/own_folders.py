"""Which folders of a download are one student's each, made by an LMS or by the instructor.

Whoever hands in a file calls it what they like; the folder that it lies in was made by others. So
where students have folders of their own, the folder says whose a file is, and a file that names
somebody else in one of them is nobody's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from pathlib import PurePath

from autograder.intake.lms_names import NameParts, said_plainly

# What students put before the assignment's name instead of their own. A name is such words in one
# way only: where there are two, as of digits in numbers, the ways to try double with each word.
_NO_PERSON = re.compile(
    r"(?:(?:my|the|a|an|final(?:ly)?|copy|of|new|old|draft|fixed|done|complete[d]?|solutions?|"
    r"answers?|submissions?|submit(?:ted)?|homework|hw|assignment|exercise|task|week|notebook|"
    r"version|v|\d)[ _.-]*+)*",
    re.IGNORECASE,
)


class OwnFolders:
    """The folders of one download."""

    def __init__(
        self,
        names: Sequence[PurePath],
        titles: Collection[str],
        by_lms: Callable[[PurePath], NameParts | None],
        given: Collection[str],
        known: Collection[str],
    ) -> None:
        """Looks at a download.

        Args:
            names: its files, as paths below its root.
            titles: what assignment and notebook are called.
            by_lms: what a name says that an LMS gave.
            given: its outermost folders that no archive was unpacked to.
            known: who is a student, by the gradebook.
        """
        self._names = names
        self._titles = titles
        self._by_lms = by_lms
        self._given = given
        self._known = {student.casefold() for student in known}

    def nearest(self, name: PurePath) -> str:
        """The folder of a file that may be a student's: the outermost, or in one of many."""
        outermost, *others = name.parts[:-1] or [""]
        return others[0] if others and outermost in self._with_many else outermost

    def owner(self, name: PurePath) -> str | None:
        """Whose the folder is that a file lies in; None where only the file's name may say it."""
        if name.parts[0] in self._with_many:
            return name.parts[1] if len(name.parts) > 2 else None
        return name.parts[0] if len(name.parts) > 1 and name.parts[0] in self._own else None

    def other(self, name: PurePath, owner: str, person: str = "") -> str:
        """Who else is named by a file in the folder of `owner`; empty when nobody is."""
        own = PurePath(name.name)
        said = self._by_lms(own) or said_plainly(own, self._titles, owner)
        who = said.student.casefold()
        if who == owner.casefold() or who in person.casefold():
            return ""
        named = who in self._everybody or self._by_lms(own) is not None
        prefixed = not person and said.own != said.student and not _NO_PERSON.fullmatch(who)
        return said.student if named or prefixed else ""

    @cached_property
    def _with_many(self) -> set[str]:
        """Outermost folders in which several folders lie."""
        inner = defaultdict(set)
        for name in self._names:
            if len(name.parts) > 2:
                inner[name.parts[0]].add(name.parts[1])
        return {folder for folder, inside in inner.items() if len(inside) > 1}

    @cached_property
    def _own(self) -> set[str]:
        """Outermost folders of one student each: all of them, once one of them evidently is.

        A student may hand in files that name many others, as those of a class would.
        """
        named: dict[str, set[str]] = defaultdict(set)
        lms: dict[str, bool] = defaultdict(lambda: True)
        for name in self._names:
            if len(name.parts) > 1:
                folder, own = name.parts[0], PurePath(name.name)
                by_lms = self._by_lms(own)
                lms[folder] &= by_lms is not None
                named[folder] |= {(by_lms or said_plainly(own, self._titles, folder)).student}
        evident = {f for f, who in named.items() if who == {f} or f.casefold() in self._known}
        evident |= {f for f, who in named.items() if len(who) == 1 and f in self._given}
        of_a_class = {f for f in named if lms[f] and (len(named[f]) > 1 or len(named) == 1)}
        return set(named) - of_a_class if evident - of_a_class else set()

    @cached_property
    def _everybody(self) -> set[str]:
        folders = {self.nearest(name).casefold() for name in self._names} - {""}
        by_lms = {said.student.casefold() for n in self._names if (said := self._by_lms(n))}
        return self._known | folders | by_lms
