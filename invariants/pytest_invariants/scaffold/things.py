"""Classes whose instances are what an agent's model is given: a name, words for the model, and something to exercise."""

from __future__ import annotations

from functools import cached_property

from pytest_invariants.scaffold.survey import Survey
from pytest_invariants.scaffold.words import CONTENT, EXERCISE, THINGS, word_set, words

IDENTITY = frozenset({"name", "id", "key", "slug", "uid", "uuid", "uri", "title"})
"""A thing's name is no secret: a request carries it, and a refusal repeats it."""


class Things:
    """Tells such classes by the members that they have, and by the words of their names."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self._points: dict[str, int] = {}

    def points(self, cls: str) -> int:
        """0 to 4: one for each of name, words for the model, something to exercise, and a word in the class's name.

        Of a foreign class only the name is known: it has 2 where it fits.
        """
        if cls not in self._points:
            self._points[cls] = self._count(cls)
        return self._points[cls]

    def _count(self, cls: str) -> int:
        last = words(cls.rpartition(":")[2].rpartition(".")[2])
        named = bool(last & THINGS) and not last & _ASIDE
        if cls not in self.survey.classes:
            return 2 * named
        members = self._members.get(cls, frozenset())
        inside = [words(member) for member in members]
        kinds = (members & IDENTITY, any(each & CONTENT for each in inside), any(each & EXERCISE for each in inside))
        return named + sum(map(bool, kinds)) if not last & _ASIDE else 0

    def is_one(self, cls: str) -> bool:
        return self.points(cls) >= 2 and self.fits(cls)

    def fits(self, cls: str) -> bool:
        """A class of ours counts for what it can do, or for its name and its words."""
        return cls not in self.survey.classes or self.points(cls) >= 3 or bool(words(cls.rpartition(":")[2]) & THINGS)

    def does(self, cls: str) -> bool:
        """Whether a class of ours has a method to exercise it by."""
        known = self.survey.classes.get(cls)
        return known is not None and any(words(name) & EXERCISE for name in known.methods)

    @cached_property
    def _members(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for cls in self.survey.classes:
            for each in self.survey.line(cls):
                known = self.survey.classes.get(each)
                found.setdefault(cls, set()).update((*known.fields, *known.methods) if known else ())
        return {cls: frozenset(names) for cls, names in found.items()}


_ASIDE = word_set(
    "error exception result results response request event params config options settings message call calls return "
    "returns part output input chunk delta status info metadata usage stats history test middleware context scope manager "
    "server client service engine registry runtime runner agent processor provider session state store backend"
)
"""Words of classes that speak of a thing, or carry many, and are none."""
