"""The pages on the invariants, the reason codes and the command, written from the code: `python -m pytest_invariants.docs`.

A module's docstring is the page of its invariant, so that a page cannot say something else than the code beside it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from pytest_invariants.catalogue import CATALOGUE
from pytest_invariants.catalogue.model import Invariant
from pytest_invariants.cli import parser
from pytest_invariants.report.model import Status
from pytest_invariants.report.pages import asked, halves, markdown
from pytest_invariants.report.reasons import MEANINGS

EXITS = {
    Status.HOLDS: "everything holds",
    Status.FALLS: "something falls",
    Status.MISUSED: "the registry or the call is wrong",
    Status.NOTHING_EXAMINED: "nothing was examined, which is never a pass",
    Status.FAULT: "a fault of the harness itself",
}
NOTICE = "<!-- Written by `python -m pytest_invariants.docs`; change the code instead. -->"


def pages() -> dict[str, str]:
    """Every generated page, by its path below the documentation's folder."""
    return {
        "README.md": _text(_index()),
        "reasons.md": _text(_reasons()),
        "command.md": _text(_command()),
        **{f"invariants/{invariant.id}.md": _text(_invariant(invariant)) for invariant in CATALOGUE},
    }


def write(folder: Path) -> list[Path]:
    """Bring the pages up to date; pages of invariants that are gone are removed. Returns what was changed."""
    wanted = {folder / name: text for name, text in pages().items()}
    changed = [path for path in (folder / "invariants").glob("*.md") if path not in wanted]
    for path in changed:
        path.unlink()
    for path, text in wanted.items():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            changed.append(path)
    return changed


def _text(lines: Iterator[str]) -> str:
    return "\n".join((NOTICE, *lines)) + "\n"


def _index() -> Iterator[str]:
    yield "# What is examined"
    yield ""
    yield f"{len(CATALOGUE)} invariants in {len(_families())} families. Each is asked of every surface, or of the run"
    yield "as a whole; *proved* ones read the source and import nothing, *probed* ones run the agent through its host,"
    yield "*served* ones are asked of [any MCP server](hosts/mcp.md) by `invariants check --mcp`."
    yield "What the reason code of a verdict means stands under [reason codes](reasons.md)."
    for family in _families():
        yield ""
        yield f"## {family}"
        yield ""
        yield "| invariant | asked of | how | says |"
        yield "|---|---|---|---|"
        for one in CATALOGUE:
            if one.family == family:
                yield f"| [`{one.id}`](invariants/{one.id}.md) | {asked(one)} | {halves(one)} | {_row(one.summary)} |"


def _families() -> tuple[str, ...]:
    return tuple(dict.fromkeys(invariant.family for invariant in CATALOGUE))


def _invariant(invariant: Invariant) -> Iterator[str]:
    yield f"# {invariant.id}"
    yield ""
    yield f"Family *{invariant.family}*, asked of {asked(invariant)}, {halves(invariant)}."
    yield ""
    yield markdown(invariant.page)
    yield ""
    alone = "check --select" if invariant.prove or invariant.play else "check --mcp SERVER --select"
    yield f"`invariants explain {invariant.id}` shows it; `invariants {alone} {invariant.id}` asks it alone."


def _reasons() -> Iterator[str]:
    yield "# Reason codes"
    yield ""
    yield "Why a verdict is not a pass. The codes are part of the JSON contract; `invariants explain CODE` shows one."
    yield ""
    yield "| code | given by | means | what helps |"
    yield "|---|---|---|---|"
    for reason, meaning in MEANINGS.items():
        yield f"| `{reason}` | {meaning.family} | {_row(meaning.meaning)} | {_row(meaning.remedy)} |"


def _command() -> Iterator[str]:
    """The command line, from its grammar; the layout is ours, since that of the help differs between Pythons."""
    yield "# The command"
    yield ""
    yield "| exit status | meaning |"
    yield "|---|---|"
    yield from (f"| {int(status)} | {meaning} |" for status, meaning in EXITS.items())
    for name, command in commands().items():
        yield ""
        yield f"## invariants {name}"
        yield ""
        yield str(command.description)
        yield ""
        yield "| argument | meaning |"
        yield "|---|---|"
        for action in command._actions:
            if action.dest != "help":
                yield f"| {_row(_spelled(action))} | {_row(action.help or '')} |"


def commands() -> dict[str, argparse.ArgumentParser]:
    """Every command by its name, in the order of the help."""
    (choices,) = (action.choices for action in parser()._actions if isinstance(action.choices, dict))
    return dict(choices)


def _spelled(action: argparse.Action) -> str:
    """`--format text|json`, `--output FILE`, `--static`, `REGISTRY`."""
    value = "|".join(map(str, action.choices)) if action.choices else str(action.metavar or action.dest)
    named = " ".join(action.option_strings)
    return f"`{named}`" if named and action.nargs == 0 else f"`{named} {value}`".replace("` ", "`")


def _row(text: str) -> str:
    return text.replace("|", "\\|")


def main(arguments: list[str]) -> int:
    """Write the documentation below the folder that is named, or below `docs`."""
    for path in write(Path(arguments[0] if arguments else "docs")):
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
