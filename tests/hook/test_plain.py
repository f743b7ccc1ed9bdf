"""That a registry has no mistake is told without the prover only where nothing can give its names another meaning."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytest_invariants.hook import doors, plain
from pytest_invariants.program.program import Program
from pytest_invariants.registry.reader import read

from tests.hook.scratch import FILES, REGISTRY, Scratch

UNTOUCHED = "entrypoints/registry.yaml: no staged change touches what it judges\n"
SEAL, STORE = "agent/seal.py", "agent/store.py"
COMMENT = {"agent/gate.py": FILES["agent/gate.py"] + "# a comment\n"}
SEALED, STORED = FILES[SEAL], FILES[STORE]
PATCHED = "import agent.store\n"
TABLE = FILES[REGISTRY].replace("agent.store:Skill.body", "agent.store:TABLE")
MISTAKES = {
    "a decorator of its own": {SEAL: "def override(f):\n    return 3\n\n\n@override\n" + SEALED},
    "a decorator of another module": {
        SEAL: "from agent import tools\n\n\n@tools.override\n" + SEALED,
        "agent/tools.py": "def override(f):\n    return 3\n",
    },
    "a builtin by a name of its own": {
        STORE: STORED.replace("from dataclasses import dataclass", "def dataclass(frozen):\n    return lambda cls: 3")
    },
    "an entry of its namespace": {SEAL: SEALED + "\nglobals()['sealed'] = None\n"},
    "a text that is run": {SEAL: SEALED + "\nexec('del sealed')\n"},
    "an attribute by its name": {SEAL: SEALED + "\nimport sys\nsetattr(sys.modules[__name__], 'sealed', None)\n"},
    "a capture": {SEAL: SEALED + "\nmatch 3:\n    case sealed:\n        pass\n"},
    "a capture of the rest": {SEAL: SEALED + "\nmatch [3]:\n    case [*sealed]:\n        pass\n"},
    "a capture of other keys": {SEAL: SEALED + "\nmatch {}:\n    case {**sealed}:\n        pass\n"},
    "one of two in a row": {STORE: STORED + "\nTABLE, X = (3, 4)\n", REGISTRY: TABLE},
    "an attribute of its own module": {
        STORE: STORED + "\nTABLE = {}\nimport agent.store\nagent.store.TABLE = None\n", REGISTRY: TABLE
    },
    "an attribute that another module sets": {
        STORE: STORED + "\nTABLE = {}\n",
        "agent/patch.py": PATCHED + "agent.store.TABLE = None\n",
        "agent/__init__.py": "import agent.patch\n",
        REGISTRY: TABLE,
    },
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_a_name_that_does_not_stay_is_a_mistake_beside_a_comment_as_well(tmp_path: Path, name: str) -> None:
    made = Scratch.make(tmp_path / "r", files={**FILES, **MISTAKES[name]})
    made.commit()
    made.stage(dict(COMMENT))
    run = made.hook(CI="true")
    assert run.returncode == doors.MISUSED
    assert "is not in the code" in run.stdout


METHOD = """\
from abc import abstractmethod
import dataclasses as dc


@dc.dataclass(frozen=True)
class Seal:
    @staticmethod
    @abstractmethod
    def sealed(categories, thread_category):
        return thread_category in categories
"""


def test_decorators_that_change_nothing_are_known_by_where_they_come_from(tmp_path: Path) -> None:
    files = {
        **FILES,
        SEAL: METHOD,
        "agent/checks.py": FILES["agent/checks.py"]
        .replace("import sealed", "import Seal")
        .replace("sealed(", "Seal.sealed(", 1),
        REGISTRY: FILES[REGISTRY].replace("agent.seal:sealed", "agent.seal:Seal.sealed"),
    }
    made = Scratch.make(tmp_path / "r", files=files)
    made.commit()
    made.stage(dict(COMMENT))
    assert made.hook(CI="true").stdout == UNTOUCHED


ROOT = Path(__file__).resolve().parents[2]


def test_the_agent_of_this_repository_is_plain() -> None:
    registry = read(ROOT / "entrypoints" / "registry.yaml")
    assert plain.is_plain(Program.load(registry), registry)


@pytest.mark.parametrize(
    ("text", "gives"),
    [
        ("importlib.reload(agent)", True),
        ("from importlib import reload", True),
        ("setattr(agent, name, None)", True),
        ("sys.modules[name] = None", True),
        ("def reload(self):", False),
        ("skills.reload(name)", False),
        ("importlib.import_module(name)", False),
    ],
)
def test_what_may_give_names_another_meaning(text: str, gives: bool) -> None:
    assert bool(plain.REFLECTION.search(text)) is gives
