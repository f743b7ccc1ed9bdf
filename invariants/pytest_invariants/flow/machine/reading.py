"""Reading a place again: what it was found to hold on this path it holds still.

A place may hold one of several values: paths were joined, several constructors fill it, or some function sets it anew. Each of them is
followed, and the choice is remembered, so that `if self.strict` asked twice is answered once. Whatever changes the place,
or may change it out of sight, drops the choice; of what lives on, so does waiting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_invariants.flow.domain.reachable import leaves
from pytest_invariants.flow.domain.scope import module_frame
from pytest_invariants.flow.domain.state import PERHAPS, RUNNING, UNSTEADY, Read, Spot, State, changes_of, lives_on
from pytest_invariants.flow.domain.terms import Named, Term, given_up
from pytest_invariants.flow.domain.values import NONE, Class, Dict, Obj, Seq, Union, Value, term_of, with_labels
from pytest_invariants.flow.machine.machine import Results
from pytest_invariants.program.code import FunctionInfo

if TYPE_CHECKING:
    from pytest_invariants.flow.machine.analysis import Analysis
    from pytest_invariants.flow.relevance.reach import Reach


def read_again(m: Analysis, spot: Spot, results: Results) -> Results:
    """Of the values that a place may hold the one that it was found to hold, or each, which is remembered."""
    if len(results) == 1 and not isinstance(results[0][0], Union):
        return results
    found = [pair for value, after in results for pair in split(value, after)]
    if len(found) < 2 or m.past or m.coarse or not all(_is_one(m, part) for part in spot if isinstance(part, Term)):
        return found
    options = tuple(value for value, _ in found)
    before = _remembered(spot, found[0][1])
    if before is not None and before.options == options:
        return [pair for pair in found if pair[0] == before.value]
    for value, after in found:
        after.reads[spot] = Read(value, options, after.epoch)
    return found


def split(value: Value, state: State) -> Results:
    """A union, as a path for each of its values."""
    if not isinstance(value, Union):
        return [(value, state)]
    return [(with_labels(option, value.labels), state.fork()) for option in value.options]


def _is_one(m: Analysis, term: Term) -> bool:
    """Whether it is the same thing each time it is spoken of."""
    return not given_up(term) and not m.ambiguous(term)


def _remembered(spot: Spot, state: State) -> Read | None:
    before = state.reads.get(spot)
    if before is None or state.field(spot[0], UNSTEADY) is not None:
        return None
    waited = before.epoch != state.epoch and (lives_on(spot[0]) or bool(state.frame(RUNNING)))
    return None if waited else before


def unsteady(state: State, end: State) -> None:
    """What was changed on the way to `end` may be changed at any time from now on."""
    for address in {*end.heap, *(address for address, _ in end.fields)}:
        if end.made_at(changes_of(address)) != state.made_at(changes_of(address)):
            state.fields[address, UNSTEADY] = NONE


def run_at_any_time(m: Analysis, info: FunctionInfo, given: tuple[Value, ...], state: State) -> None:
    """A function is handed to somebody and not followed: what it changes may be changed at any time from now on."""
    if m.reach is None or m.coarse or not m.reach.changes_something(info):
        return
    state.read_anew(lambda _: True)
    frames = {module_frame(place.partition(":")[0]) for place in m.reach.binds(info) if ":" in place}
    held = {
        term_of(one) for value in given for one in leaves(m, value, state) if isinstance(one, Obj | Seq | Dict | Class)
    }
    for place in (*held, *map(Named, frames)):
        state.fields[place, UNSTEADY] = NONE


def may_be_changed(m: Analysis, info: FunctionInfo, state: State) -> None:
    """A callee is not followed: what it may have changed is read anew."""
    reach = m.reach
    if reach is not None and state.reads:
        items, names = reach.changes_items(info), set(reach.binds(info))
        state.read_anew(lambda spot: _may_write(reach, info, spot, items, names))


def _may_write(reach: Reach, info: FunctionInfo, spot: Spot, items: bool, names: set[str]) -> bool:
    place, what = spot
    if isinstance(what, Term):
        return items
    if isinstance(place, Named) and place.name.startswith("module "):
        return f"{place.name.removeprefix('module ')}:{what}" in names
    return reach.changes_any(info, what.removesuffix(PERHAPS))
