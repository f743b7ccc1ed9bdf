"""Every model of a function or method of the library, called with arguments that it was not written for: never a fault."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_invariants.flow.containers import methods, strings
from pytest_invariants.flow.containers.containers import new_sequence
from pytest_invariants.flow.domain.state import Cell, State, Template
from pytest_invariants.flow.domain.terms import Param
from pytest_invariants.flow.domain.values import Const, Dict, Foreign, Method, Obj, Seq, Sym, Thunk, Tuple, Value
from pytest_invariants.flow.library import library
from pytest_invariants.flow.library.fitting import NEEDED
from pytest_invariants.flow.library.library import MODELS
from pytest_invariants.flow.machine.analysis import Analysis
from pytest_invariants.flow.machine.machine import Arguments, Effects
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
from pytest_invariants.verdict import Place

from tests.flow.test_carrier_forms import GUARD, HEAD, STORE
from tests.flow.test_sole_forms import REGISTRY, SEAL

LATER = "\n\nasync def later():\n    return 1\n"
GIVEN_BY_THE_PROVER = frozenset({"flow.setter", "flow.getter", "flow.inherited", "flow.wrap"}) | {
    path for path in MODELS if path.startswith("flow.namespace.")
}
"""Functions that no program can name: the prover makes them, with what they need first."""


def prover(root: Path, body: str = "    return None\n") -> Prover:
    files = {
        "agent/__init__.py": "", "agent/seal.py": SEAL, "agent/store.py": STORE + LATER, "agent/door.py": HEAD + body,
        "entrypoints/registry.yaml": REGISTRY, "pyproject.toml": "",
    }  # fmt: skip
    for name, text in files.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return Prover(read(root / "entrypoints" / "registry.yaml"))


@pytest.fixture(scope="module")
def m(tmp_path_factory: pytest.TempPathFactory) -> Analysis:
    made = prover(tmp_path_factory.mktemp("models")).m
    made.effects, made.past = Effects(), False
    return made


def values(m: Analysis, state: State) -> dict[str, Value]:
    """One of each kind."""
    skill = Obj(address=Param("skill"), cls=m.classes["agent.store:Skill"])
    held = Dict(address=m.allocate(state))
    state.heap[held.address] = Cell((Template(skill, key=Const(value="held")),))
    return {
        "a symbol": Sym(term=Param("x")),
        "a text": Const(value="body"),
        "a number": Const(value=1),
        "nothing": Const(value=None),
        "an object": skill,
        "a list": new_sequence(m, [(skill, None)], state),
        "a tuple": Tuple(items=(skill, Const(value="body"))),
        "a dictionary": held,
        "a list from elsewhere": Seq(address=Param("rows")),
        "a function": m.world.frame("module agent.door")["door"],
        "a builtin": Foreign(path="builtins.len"),
        "a coroutine": Thunk(
            kind="coroutine", number=1, function=m.world.frame("module agent.store")["later"], at=Place("x", 1)
        ),
    }


def calls(m: Analysis, state: State) -> Iterator[tuple[str, Arguments]]:
    """No arguments, too many, and some of unknown length."""
    yield "none", Arguments()
    for name, value in values(m, state).items():
        more = value if name in ("a symbol", "a list", "a tuple", "a dictionary", "a list from elsewhere") else None
        yield f"one: {name}", Arguments((value,))
        yield f"two: {name}", Arguments((value, value))
        yield f"nine: {name}", Arguments((value,) * 9)
        yield f"an unknown keyword: {name}", Arguments(keywords=(("whatever", value), ("key", value)))
        if more is not None:
            yield f"only *: {name}", Arguments(more=more)
            yield f"one and *: {name}", Arguments((value,), more=more)
            yield f"only **: {name}", Arguments(options=more)
            yield f"one and **: {name}", Arguments((value,), options=more)
            yield f"* and **: {name}", Arguments(more=more, options=more)


@pytest.mark.parametrize("path", sorted(set(MODELS) - GIVEN_BY_THE_PROVER))
def test_a_model_takes_whatever_it_is_given(m: Analysis, path: str) -> None:
    _call_with_everything(m, Foreign(path=path))


@pytest.mark.parametrize("kind", ["list", "tuple", "dictionary", "text", "thunk"])
def test_a_method_takes_whatever_it_is_given(m: Analysis, kind: str) -> None:
    tables = {
        "list": methods.OF_SEQUENCES, "tuple": methods.OF_SEQUENCES, "dictionary": methods.OF_DICTIONARIES,
        "text": strings.OF_STRINGS, "thunk": methods.OF_THUNKS,
    }  # fmt: skip
    named = {"text": "a text", "thunk": "a coroutine"}
    for name in sorted(tables[kind]):
        receiver = values(m, State(m.world))[named.get(kind, f"a {kind}")]
        _call_with_everything(m, receiver, name)


def _call_with_everything(m: Analysis, target: Value, method: str = "") -> None:
    scope, node = m.scope_of_module("agent.door"), ast.parse("f()", mode="eval").body
    for kind, _ in list(calls(m, State(m.world))):
        state = State(m.world)
        given = dict(calls(m, state))[kind]
        m.steps = 0
        with m.collecting():
            if method:
                receiver = target
                results = methods.call(m, Method(receiver=receiver, name=method), given, state, scope, node)
            else:
                assert isinstance(target, Foreign)
                results = library.call(m, target, given, state, scope, node)
        assert all(isinstance(value, Value) for value, _ in results), kind


def test_what_is_needed_is_needed_by_a_model() -> None:
    assert set(NEEDED) <= set(MODELS)


FORMS = {
    "max": "return max(*rows).body",
    "max of a known list": "return max(*[skill, skill]).body",
    "min": "return min(skill, *rows).body",
    "getattr": "pair = [skill, 'body']\n    return getattr(*pair)",
    "getattr of anything": "return getattr(*given(skill))",
    "partial": "return functools.partial(*[getattr, skill])('body')",
    "partial of anything": "return functools.partial(getattr, *[skill])('body')",
    "a chain": "return [one.body for one in itertools.chain(*[rows, rows])]",
    "chained from": "return [one.body for one in itertools.chain.from_iterable(*[[rows]])]",
    "a union": "return [one for one in set().union(*[[one.body] for one in rows])]",
    "an update": "kept = {}\n    kept.update(**{'held': skill})\n    return kept['held'].body",
    "a dictionary": "options = {'held': skill}\n    return dict(**options)['held'].body",
    "a list": "return list(*[rows])[0].body",
    "a list of what is given": "return [one.body for one in listed(rows)]",
    "with a key": "return max(rows, key=len).body",
    "two lists": "return first(*[1], *rows).body",
    "after a list": "return first(*[1], skill).body",
    "two dictionaries": "return named(**{'one': 1}, **{'held': skill})['held'].body",
}
HELPERS = """\


def given(skill):
    yield skill
    yield "body"


def listed(*parts):
    return list(*parts)


def first(_, *rest):
    return rest[0]


def named(**options):
    return options


"""
UNDECIDED = frozenset({"getattr of anything"})


def verdict(root: Path, body: str) -> str:
    made = prover(root, f"    rows = [skill, skill]\n{body}\n{HELPERS}")
    return made.consulted(made.registry.surfaces[0]).verdict.value


@pytest.mark.parametrize("form", FORMS)
def test_with_the_guard_spread_arguments_are_no_alarm(tmp_path: Path, form: str) -> None:
    assert verdict(tmp_path, f"{GUARD}    {FORMS[form]}") == ("undecided" if form in UNDECIDED else "proved")


@pytest.mark.parametrize("form", FORMS)
def test_without_the_guard_spread_arguments_are_no_proof(tmp_path: Path, form: str) -> None:
    assert verdict(tmp_path, f"    {FORMS[form]}") in ("refuted", "undecided")
