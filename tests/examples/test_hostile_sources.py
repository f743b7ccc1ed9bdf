"""Files that no honest author writes, and long ones that code generators do write: no crash, no hang, no silence.

Each stands in the package of a small agent with one guarded door. What cannot be read is reported, and never proved.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SEAL = "def sealed(name, who):\n    return name != who\n"
STORE = "class Store:\n    def read(self, name: str) -> str:\n        return name\n\n\nSTORE = Store()\n"
DOOR = (
    "from agent.seal import sealed\nfrom agent.store import STORE\n\n\n"
    "def door(name: str, who: str):\n    if sealed(name, who):\n        return None\n    return STORE.read(name)\n"
)
REGISTRY = """\
version: 1
code: [agent]
seal: {function: "agent.seal:sealed", verdict: sealed, subject: [name], principal: [who]}
capabilities: [{of: "agent.store:Store.read", grant: value}]
surfaces: {door: {function: "agent.door:door", manner: named}}
"""
ASK = """\
import json, sys
from pathlib import Path
from pytest_invariants.flow.prover import Prover
from pytest_invariants.registry.reader import read
prover = Prover(read(Path(sys.argv[1])))
finding = prover.consulted(prover.registry.surfaces[0])
unreadable = [str(one.at.path) for one in prover.unreadable]
print(json.dumps([str(finding.verdict), unreadable, sorted(map(str, prover.doors.unregistered))]))
"""
MEMORY = 3 * 1024**3
SECONDS = 60


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """The folder of the agent's package, in a repository with its registry."""
    package = tmp_path / "agent"
    package.mkdir()
    for name, text in {"__init__": "", "seal": SEAL, "store": STORE, "door": DOOR}.items():
        (package / f"{name}.py").write_text(text)
    (tmp_path / "entrypoints").mkdir()
    (tmp_path / "entrypoints" / "registry.yaml").write_text(REGISTRY)
    return package


def ask(agent: Path) -> tuple[str, list[str], list[str]]:
    """The door's verdict, the unreadable files, the unregistered doors; from a process with bounded time and memory."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(agent.parent / "entrypoints" / "registry.yaml")],
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)),
    )
    assert done.returncode == 0, done.stderr
    verdict, unreadable, doors = json.loads(done.stdout)
    return verdict, unreadable, doors


def test_plain_agent(agent: Path) -> None:
    assert ask(agent) == ("proved", [], [])


UNREADABLE: dict[str, Callable[[Path], object]] = {
    "syntax": lambda path: path.write_text("def f(:\n"),
    "newer-syntax": lambda path: path.write_text('x = t"{a}"\n'),
    "nul-byte": lambda path: path.write_bytes(b"x = 1\n\x00"),
    "not-utf-8": lambda path: path.write_bytes(b'x = "\xe9"\n'),
    "unknown-encoding": lambda path: path.write_bytes(b"# -*- coding: no-such -*-\n"),
    "brackets": lambda path: path.write_text("x = " + "[" * 10_000 + "]" * 10_000 + "\n"),
    "terms": lambda path: path.write_text("x = " + "+".join(["1"] * 200_000) + "\n"),
    "huge": lambda path: path.write_text("x = 1\n" * 1_500_000),
    "dangling-link": lambda path: path.symlink_to("nowhere"),
    "link-to-itself": lambda path: path.symlink_to(path.name),
    "pipe": lambda path: os.mkfifo(path),
    "endless-device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.mark.parametrize("kind", UNREADABLE)
def test_unreadable_file_is_reported_and_the_rest_is_judged(agent: Path, kind: str) -> None:
    UNREADABLE[kind](agent / "odd.py")
    assert ask(agent) == ("proved", ["agent/odd.py"], [])


@pytest.mark.parametrize("kind", ["syntax", "brackets", "pipe", "endless-device"])
def test_door_in_an_unreadable_file_is_never_proved(agent: Path, kind: str) -> None:
    (agent / "door.py").unlink()
    UNREADABLE[kind](agent / "door.py")
    verdict, unreadable, _ = ask(agent)
    assert verdict != "proved"
    assert unreadable == ["agent/door.py"]


READABLE: dict[str, Callable[[Path], object]] = {
    "byte-order-mark": lambda path: path.write_bytes(b"\xef\xbb\xbfx = 1\n"),
    "declared-encoding": lambda path: path.write_bytes(b'# -*- coding: latin-1 -*-\nx = "\xe9"\n'),
    "old-line-ends": lambda path: path.write_bytes(b"x = 1\ry = 2\r"),
    "folder-link-loop": lambda path: path.with_suffix("").symlink_to("."),
    "folder-named-py": lambda path: path.mkdir(),
    "long-sum": lambda path: path.write_text("x = " + "+".join(["1"] * 900) + "\n"),
    "long-ladder": lambda path: path.write_text(
        "def f(x):\n    if x == 0:\n        return 0\n"
        + "".join(f"    elif x == {n}:\n        return {n}\n" for n in range(1, 400))
    ),
    "long-chain": lambda path: path.write_text("def f(x):\n    return x" + ".a()" * 400 + "\n"),
    "nested-functions": lambda path: path.write_text(
        "".join(" " * n + f"def f{n}():\n" for n in range(80)) + " " * 80 + "pass\n"
    ),
    "large-table": lambda path: path.write_text(
        "X = {\n" + "".join(f"    'k{n}': [{n}, 'v'],\n" for n in range(20_000)) + "}\n"
    ),
    "long-function": lambda path: path.write_text(
        "def f(x):\n" + "    x = g(x)\n" * 3_000 + "\n\ndef g(x):\n    return x\n"
    ),
    "call-cycle": lambda path: path.write_text("def f(x):\n    return g(x)\n\n\ndef g(x):\n    return f(x)\n"),
    "class-of-itself": lambda path: path.write_text("class A(B):\n    pass\n\n\nclass B(A):\n    pass\n"),
    "import-cycle": lambda path: path.write_text("from agent.odd import x\nfrom agent.door import *\n"),
}


@pytest.mark.parametrize("kind", READABLE)
def test_odd_but_readable_file_does_not_disturb(agent: Path, kind: str) -> None:
    READABLE[kind](agent / "odd.py")
    assert ask(agent)[:2] == ("proved", [])


LEAK = "from agent.store import STORE\n\n\ndef leak(name):\n    return STORE.read(name)\n"


@pytest.mark.parametrize("folder", ["build", "dist", "node_modules"])
def test_door_in_a_package_folder_of_any_name_is_found(agent: Path, folder: str) -> None:
    (agent / folder).mkdir()
    (agent / folder / "__init__.py").write_text("")
    (agent / folder / "side.py").write_text(LEAK)
    assert ask(agent)[2] == [f"agent.{folder}.side:leak"]


LONG_DOORS = {
    "long-sum": "    note = " + "+".join(["name"] * 900) + "\n",
    "long-ladder": "    if name == 'a':\n        pass\n"
    + "".join(f"    elif name == '{n}':\n        pass\n" for n in range(300)),
    "long-body": "    note = name\n" * 2_000,
    "long-chain": "    note = name" + ".strip()" * 400 + "\n",
    "large-table": "    note = {" + ", ".join(f"'{n}': {n}" for n in range(5_000)) + "}\n",
    "loops": "".join("    " * n + f"for i{n} in name:\n" for n in range(1, 15)) + "    " * 15 + "pass\n",
}


@pytest.mark.parametrize("kind", LONG_DOORS)
def test_guarded_door_with_a_long_body_is_still_decided(agent: Path, kind: str) -> None:
    head, grant = DOOR.split("    if sealed", 1)
    (agent / "door.py").write_text(f"{head}{LONG_DOORS[kind]}    if sealed{grant}")
    verdict, unreadable, _ = ask(agent)
    assert (verdict, unreadable) == ("proved", [])


@pytest.mark.parametrize("kind", LONG_DOORS)
def test_open_door_with_a_long_body_is_never_proved(agent: Path, kind: str) -> None:
    head, _ = DOOR.split("    if sealed", 1)
    (agent / "door.py").write_text(f"{head}{LONG_DOORS[kind]}    return STORE.read(name)\n")
    assert ask(agent)[0] == "refuted"
