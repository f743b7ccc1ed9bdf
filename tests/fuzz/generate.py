"""Draw a program for a seed, and write it as the files of an agent."""

from __future__ import annotations

import ast
import random
import re
import warnings
from pathlib import Path

from tests.fuzz import agents
from tests.fuzz.seals import Seal
from tests.fuzz.tree import Grammar, Mode, Program, Writer, read_rules
from tests.fuzz.truth import Case

GRAMMAR = Grammar(read_rules(Path(__file__).with_name("grammar")))

KINDS = {"sealed": 8, "raises": 3, "allowed": 2, "is": 2, "attribute": 1, "enters": 1.5, "filters": 1.5}
FAULTINESS = {0.0: 3, 0.3: 4, 1.0: 4, 3.0: 2}

SEAL_NAMES = {
    "sealed": "sealed",
    "allowed": "allowed",
    "is": "Verdict, judge",
    "attribute": "judge",
    "raises": "ensure_open",
    "enters": "opened",
    "filters": "open_only",
}

IMPORTS = {
    "asyncio": "import asyncio",
    "ExitStack": "from contextlib import ExitStack",
    "asynccontextmanager": "from contextlib import asynccontextmanager",
    "cached_property": "from functools import cached_property",
    "filterfalse": "from itertools import filterfalse",
    "groupby": "from itertools import groupby",
    "contextmanager": "from contextlib import contextmanager",
    "suppress": "from contextlib import suppress",
    "nullcontext": "from contextlib import nullcontext",
    "dataclass": "from dataclasses import dataclass",
    "asdict": "from dataclasses import asdict",
    "astuple": "from dataclasses import astuple",
    "replace": "from dataclasses import replace",
    "copy": "from copy import copy",
    "reduce": "from functools import reduce",
    "compress": "from itertools import compress",
    "dropwhile": "from itertools import dropwhile",
    "islice": "from itertools import islice",
    "starmap": "from itertools import starmap",
    "takewhile": "from itertools import takewhile",
    "zip_longest": "from itertools import zip_longest",
    "attrgetter": "from operator import attrgetter",
    "lru_cache": "from functools import lru_cache",
    "partial": "from functools import partial",
    "wraps": "from functools import wraps",
    "chain": "from itertools import chain",
}


def draw(seed: int) -> Program:
    """The program of a seed. A few drawn texts are no Python (a walrus in a wrong place): then another is drawn."""
    rng = random.Random(seed)
    while True:
        program = draw_once(rng)
        if compiles(program):
            return program


def compiles(program: Program) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for text in texts(program).values():
                compile(text, "drawn", "exec")
        except SyntaxError:
            return False
    return True


def draw_once(rng: random.Random) -> Program:
    kind = rng.choices(list(KINDS), list(KINDS.values()))[0]
    running = rng.random() < 0.2
    tags = {f"kind:{kind}", "async" if running else "sync", "generator" if rng.random() < 0.15 else "plain"}
    if running and rng.random() < 0.7:
        tags.add("seal-async")
    if rng.random() < 0.1:
        tags.add("deeds")
    if rng.random() < 0.15:
        tags.add(f"layout:{rng.choice(('names', 'star', 'package'))}")
    mode: Mode = frozenset(tags)
    faultiness = rng.choices(list(FAULTINESS), list(FAULTINESS.values()))[0]
    sort = "named" if rng.random() < 0.7 else "browse"
    return Program(mode, GRAMMAR.draw(sort, rng, mode, rng.choice((5, 6, 7, 8, 9)), faultiness))


def doors(program: Program) -> str:
    """The text of agent/doors.py."""
    return texts(program)["agent.doors"]


def texts(program: Program) -> dict[str, str]:
    """The modules that were drawn, in the order in which they can be imported."""
    writer = Writer(program.mode)
    body = writer.write(program.root, "generator" not in program.mode)
    above = "\n\n\n".join(dict.fromkeys(writer.defs))
    if program.layout == "one" or not above:
        return {"agent.doors": module(program, [above, body] if above else [body])}
    names = ", ".join(defined(above))
    if program.layout == "star":
        rest = {"agent.parts": module(program, [f"__all__ = {defined(above)!r}", above])}
        return {**rest, "agent.doors": module(program, [body], "from agent.parts import *  # noqa: F403")}
    if program.layout == "package":
        rest = {"agent.parts.inner": module(program, [above]), "agent.parts": f"from .inner import {names}\n"}
        return {**rest, "agent.doors": module(program, [body], f"from .parts import {names}")}
    rest = {"agent.parts": module(program, [above])}
    return {**rest, "agent.doors": module(program, [body], f"from agent.parts import {names}")}


def module(program: Program, parts: list[str], *further: str) -> str:
    text = "\n\n\n".join(parts)
    own = [line for word, line in IMPORTS.items() if re.search(rf"\b{word}\b", text)]
    head = (["from agent.run import call"] if "deeds" in program.mode else []) + [
        *further,
        f"from agent.seal import {SEAL_NAMES[program.kind]}",
        "from agent.store import STORE, Skill",
        "from agent.turn import Refused, Turn",
    ]
    return "\n".join([*own, *([""] if own else []), *head]) + "\n\n\n" + text + "\n"


def defined(text: str) -> list[str]:
    """The names that a module's text binds at its top."""
    found = []
    for statement in ast.parse(text).body:
        if isinstance(statement, ast.Assign):
            found += [target.id for target in statement.targets if isinstance(target, ast.Name)]
        elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.append(statement.name)
    return found


def function(program: Program) -> str:
    """The surface, as the registry names it."""
    return "agent.doors:Desk.door" if "class Desk" in program.root.rule.text else "agent.doors:door"


def case(program: Program) -> Case:
    *others, (_, text) = texts(program).items()
    return Case(
        text=text,
        seal=Seal(program.kind, "seal-async" in program.mode),
        qualname=function(program).partition(":")[2],
        named=program.root.rule.sort == "named",
        stateful=program.stateful,
        others=tuple(others),
    )


def files(program: Program) -> dict[str, str]:
    """Every file of the agent, its registry included."""
    seal = Seal(program.kind, "seal-async" in program.mode)
    entry = agents.registry(seal, function(program), program.root.rule.sort, "deeds" in program.mode)
    return {**agents.files(seal), **paths(program), "entrypoints/registry.yaml": entry}


def paths(program: Program) -> dict[str, str]:
    """The drawn modules by their files."""
    found = texts(program)
    packages = {name.rpartition(".")[0] for name in found} - {"agent"}
    return {
        name.replace(".", "/") + ("/__init__.py" if name in packages else ".py"): text for name, text in found.items()
    }
