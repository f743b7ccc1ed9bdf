"""The command `invariants`: its grammar, and what a user sees when it cannot do what it was asked.

Nothing that a command needs is imported before the command is known: `--help` and `--version` answer at once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from pytest_invariants import __version__
from pytest_invariants.report import FORMATS

STATUSES = """\
exit status:
  0  everything holds
  1  something falls
  2  the registry or the call is wrong
  3  nothing was examined
  4  a fault of the harness itself
"""
INTERRUPTED, PIPE_CLOSED = 128 + 2, 128 + 13
"""What a shell reports of a command that SIGINT or SIGPIPE ended."""


class UsageError(Exception):
    """The call cannot be carried out; the text is for the user."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    options = parser().parse_args(arguments)
    from pytest_invariants.report.output import never_fail_to_encode

    never_fail_to_encode()
    try:
        return _run(options)
    except Exception as error:
        return _failed(error, options)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED


def _run(options: argparse.Namespace) -> int:
    match options.command:
        case "check":
            if options.mcp is not None:
                return _check_server(options)
            from pytest_invariants.commands import check

            _require_server(options)
            choice = check.Choice(options.static, tuple(options.select), options.debug, options.since)
            return check.run(options.registry, choice, options.format, options.output)
        case "doors":
            from pytest_invariants.commands import doors

            known = doors.Known(tuple(options.code), options.seal, tuple(options.capability))
            return doors.run(options.registry, known, options.format)
        case "play":
            from pytest_invariants.commands import play

            return play.run(options.script, options.registry)
        case "selftest":
            from pytest_invariants.selftest import command as selftest
            from pytest_invariants.selftest.run import Choice

            trying = Choice(tuple(options.select), options.probe, options.jobs)
            if options.mutants:
                return selftest.run_declared(options.registry, options.mutants, trying, options.format, options.output)
            return selftest.run(options.registry, trying, options.format, options.output)
        case "hook":
            from pytest_invariants.hook import command

            return command.run(options)
        case "init":
            from pytest_invariants.scaffold import command as scaffold

            return scaffold.run(options)
        case _:
            from pytest_invariants.commands import explain

            return explain.run(options.id, options.registry)


def _check_server(options: argparse.Namespace) -> int:
    """A server has neither source nor registry, so that what belongs to them cannot be asked for."""
    from pytest_invariants.commands import server

    given = {"--static": options.static, "--since": options.since, "REGISTRY": options.registry}
    foreign = [name for name, value in given.items() if value]
    if foreign:
        raise UsageError(f"{', '.join(foreign)}: not with --mcp, which examines a server and no repository")
    choice = server.Choice(
        target=options.mcp,
        headers=tuple(options.header),
        calls=tuple(options.call),
        lists_only=options.lists_only,
        patience=options.timeout,
        select=tuple(options.select),
        debug=options.debug,
    )
    return server.run(choice, options.format, options.output)


def _require_server(options: argparse.Namespace) -> None:
    given = {
        "--call": options.call,
        "--header": options.header,
        "--lists-only": options.lists_only,
        "--timeout": options.timeout is not None,
    }
    foreign = [name for name, value in given.items() if value]
    if foreign:
        raise UsageError(f"{', '.join(foreign)}: only with --mcp, which names the server")


def _failed(error: Exception, options: argparse.Namespace) -> int:
    """Say what went wrong, in one place for all commands, and give the exit status of that."""
    from pytest_invariants.registry.problems import RegistryError
    from pytest_invariants.report.output import OutputError

    if isinstance(error, BrokenPipeError):
        return PIPE_CLOSED
    if isinstance(error, RegistryError):
        _show_problems(error, options)
        return 2
    if isinstance(error, UsageError | OutputError):
        print(f"invariants: {error}", file=sys.stderr)
        return 2
    if options.debug:
        import traceback

        traceback.print_exception(error)
    said = f"{type(error).__name__}: {error}".rstrip(": ")
    hint = "" if options.debug else "; run again with --debug for the traceback"
    print(f"invariants: a fault of the harness itself, please report it{hint}\n  {said}", file=sys.stderr)
    return 4


def _show_problems(error: Exception, options: argparse.Namespace) -> None:
    from pytest_invariants.registry.problems import RegistryError
    from pytest_invariants.report.github import problem_annotation

    assert isinstance(error, RegistryError)
    for problem in error.problems:
        print(problem, file=sys.stderr)
        if getattr(options, "format", "") == "github":
            print(problem_annotation(problem))


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="invariants",
        description="Prove that every way to an agent's skills and tools asks one sealing function, and obeys it.",
        epilog=STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"pytest-invariants {__version__}")
    commands = top.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    for name, summary, arguments in (
        ("check", "prove and probe every invariant at every surface", _check_arguments),
        ("doors", "list every door that the code has, and what covers it", _doors_arguments),
        ("explain", "explain an invariant, a reason code, or what is proved of a surface", _explain_arguments),
        ("play", "play a script of the probe again, and show what every surface answers", _play_arguments),
        ("selftest", "open doors in a copy of the code, and see that each is noticed", _selftest_arguments),
        ("hook", "judge what is staged: new, moved, removed and unguarded doors, or skill files", _hook_arguments),
        ("init", "propose a registry, a host, a commit hook and a CI job, each row with its evidence", _init_arguments),
    ):
        command = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            epilog=STATUSES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        arguments(command)
        if name in ("check", "doors", "explain", "play", "selftest"):
            command.add_argument(
                "registry",
                metavar="REGISTRY",
                nargs="?",
                type=Path,
                help="the registry or its repository (default: entrypoints/registry.yaml, here or in a folder above)",
            )
        command.add_argument("--debug", action="store_true", help="show the traceback of a fault of the harness itself")
    return top


def _check_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--static", action="store_true", help="read the code only; import and run nothing")
    command.add_argument("--format", choices=FORMATS, default="text", help="text for people (the default), or another")
    command.add_argument("--output", metavar="FILE", type=Path, help="write the report to FILE, all of it or nothing")
    command.add_argument(
        "--select", metavar="ID", action="append", default=[], help="ask only this invariant or surface (repeatable)"
    )
    command.add_argument("--since", metavar="REV", help="tell also what became of each verdict since this revision")
    server = command.add_argument_group("an MCP server, instead of a registry")
    server.add_argument("--mcp", metavar="SERVER", help="examine this server: the command that starts it, or its URL")
    server.add_argument(
        "--call",
        metavar="NAME=JSON",
        action="append",
        default=[],
        help="call this tool with these arguments (repeatable); else only tools that say they read",
    )
    server.add_argument(
        "--lists-only", action="store_true", help="use nothing that is listed, not even what only reads"
    )
    server.add_argument(
        "--header", metavar="'NAME: VALUE'", action="append", default=[], help="send it with each request (repeatable)"
    )
    server.add_argument("--timeout", metavar="SECONDS", type=float, help="how long one answer may take (default: 30)")


def _doors_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--format", choices=("text", "json"), default="text", help="text for people (the default)")
    _known_arguments(command)


def _known_arguments(command: argparse.ArgumentParser) -> None:
    """What a user may know before there is a registry."""
    command.add_argument("--code", metavar="FOLDER", action="append", default=[], help="code to judge (repeatable)")
    command.add_argument("--seal", metavar="REF", help="the function that decides, where it is known: module:qualname")
    command.add_argument(
        "--capability", metavar="REF", action="append", default=[], help="what it guards: REF or REF=call (repeatable)"
    )


def _explain_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("id", metavar="ID", help="the id of an invariant or of a surface, or a reason code")


def _play_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("script", metavar="SCRIPT", help="the steps, as a failure prints them: `open 0; deny *; step`")


def _selftest_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("--probe", action="store_true", help="run each copy through its host as well")
    command.add_argument("--mutants", metavar="FILE", type=Path, help="try the mutants that this YAML file declares")
    command.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="text for people")
    command.add_argument("--output", metavar="FILE", type=Path, help="write the table to FILE, all of it or nothing")
    command.add_argument(
        "--select",
        metavar="ID",
        action="append",
        default=[],
        help="try only this operator, surface, mutant or invariant (repeatable)",
    )
    command.add_argument("--jobs", metavar="N", type=int, default=1, help="processes that try mutants (default: 1)")


def _hook_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument("files", metavar="FILES", nargs="*", help="staged files; with --skills only these are read")
    command.add_argument("--skills", action="store_true", help="judge the SKILL.md files instead of the doors")
    command.add_argument("--underscores", action="store_true", help="with --skills: names may have underscores")
    command.add_argument("--registry", metavar="REGISTRY", type=Path, help="judge this one only (default: all staged)")
    command.add_argument("--fix", action="store_true", help="write the rows of doors that ask the seal; no exemption")
    command.add_argument("--ledger", action="store_true", help="write the ledger of verdicts beside the registry")


def _init_arguments(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "folder", metavar="FOLDER", nargs="?", type=Path, default=Path(), help="the repository (default: here)"
    )
    _known_arguments(command)
    command.add_argument("--dry-run", action="store_true", help="show what would be written, and write nothing")
