"""Giving skill folders to the agent's own loader: it refuses them with a message, or it reads them rightly."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from pytest_invariants.probe.agent import REFUSALS
from pytest_invariants.probe.answers import Fallen, Lacking
from pytest_invariants.probe.host import HostError
from pytest_invariants.probe.judge import quoted
from pytest_invariants.probe.odd_skills import PLAIN, OddSkills
from pytest_invariants.probe.session import ProbeSession
from pytest_invariants.probe.stage import Stage
from pytest_invariants.probe.target import describe
from pytest_invariants.probe.worlds import REAL
from pytest_invariants.verdict import Reason


def judge(session: ProbeSession, cases: Iterable[OddSkills], reason: Reason) -> int:
    """How many cases were given to the loader; none of them was dropped or misread.

    Raises Fallen for the first that was, and Lacking where the host cannot read folders.
    """
    session.need("read_skills")
    with session.stage(world=REAL) as stage:
        if (found := _read(stage, PLAIN)) not in PLAIN.reads:
            message = f"the loader makes {found!r:.120} of {PLAIN.words}"
            raise Fallen(Reason.NOT_SHOWN, message, "correct `read_skills` of the host")
        outcomes = [(case, _read(stage, case)) for case in cases]
    laid = [(case, found) for case, found in outcomes if found != ""]
    if not laid:
        raise Lacking("this file system cannot hold such folders")
    for case, found in laid:
        _check(case, found, reason)
    return len(laid)


def _check(case: OddSkills, found: str | Mapping[str, str], reason: Reason) -> None:
    script = tuple(f"{path}: {content[:160]!r}" for path, content in case.files.items())
    script += tuple(f"{path} is a link to {target}" for path, target in case.links.items())
    if isinstance(found, str):
        if found.strip(": ").isidentifier():
            message = f"the loader refuses {case.words} without a word ({found})"
            raise Fallen(reason, message, "say in the exception which file it is, and what to do", script)
        return
    if found in case.reads:
        return
    lost = case.reads[0].keys() - found.keys() if case.reads else frozenset[str]()
    if not found or lost:
        message = f"the loader drops {quoted(lost) or 'a skill'} without a word: {case.words}"
    elif case.reads:
        message = f"the loader reads {dict(found)!r:.160} where it says {dict(case.reads[0])!r:.160}: {case.words}"
    else:
        message = f"the loader accepts {case.words}, and makes {dict(found)!r:.160} of it"
    raise Fallen(reason, message, "read the file rightly, or refuse it with its name", script)


def _read(stage: Stage, case: OddSkills) -> str | Mapping[str, str]:
    """What the loader makes of a case: descriptions by names, or the exception in words; empty where there is none."""
    with tempfile.TemporaryDirectory(prefix="invariants-") as folder:
        if not case.lay(Path(folder)):
            return ""
        try:
            found = stage.agent.call("read_skills", Path(folder))
        except HostError:
            raise
        except REFUSALS as error:
            return describe(error)
    if not isinstance(found, Mapping):
        said = f"`read_skills` returned {found!r:.60}"
        raise HostError(f"{said}; return a dictionary from the names of skills to their descriptions")
    return {str(name): " ".join(str(text).split()) for name, text in found.items()}
