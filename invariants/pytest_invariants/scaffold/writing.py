"""The files that `invariants init` proposes, as text: the registry with its evidence, a host, and the two snippets."""

from __future__ import annotations

import json
import keyword
from collections.abc import Iterator
from pathlib import PurePosixPath

from pytest_invariants.scaffold.draft import Draft, Source
from pytest_invariants.scaffold.proposal import Proposal
from pytest_invariants.scaffold.registrars import GATE
from pytest_invariants.scaffold.surfaces import Proposed

UNSURE = "# ? "
"""Begins a line that becomes a row once somebody has judged it and taken this away."""
REGISTRY, HOST = "entrypoints/registry.yaml", "tests/invariants_host.py"
PRE_COMMIT, WORKFLOW = ".pre-commit-config.yaml", ".github/workflows/invariants.yml"


def files(proposal: Proposal) -> dict[str, str]:
    """Every file by its path from the repository's root."""
    return {
        REGISTRY: registry(proposal),
        HOST: host(proposal),
        PRE_COMMIT: "repos:\n" + pre_commit(),
        WORKFLOW: workflow(),
    }


def registry(proposal: Proposal) -> str:
    return "\n".join(_registry(proposal)) + "\n"


def _registry(proposal: Proposal) -> Iterator[str]:
    yield "# Proposed by `invariants init`. Read every row before you keep it: a proposal is a guess with evidence."
    yield f"# A line with `{UNSURE.strip()}` was not sure enough to be a row. Take the mark away, or take the line away."
    yield "version: 1"
    yield f"code: {_words(proposal.code)}"
    yield "seal:"
    draft = proposal.draft
    if draft is None:
        yield f"  {UNSURE}function: the function that decides, as module:qualname"
    else:
        yield from _seal(draft, proposal)
    yield "capabilities:"
    yield from (line for one in draft.capabilities if draft for line in _capability(one)) if draft else ()
    yield "surfaces:"
    for one in proposal.found.surfaces:
        yield from _surface(one)
    yield from _rest(proposal)


def _seal(draft: Draft, proposal: Proposal) -> Iterator[str]:
    yield from (f"  # {line}" for line in draft.evidence)
    yield from (f"  {UNSURE}or {line}" for line in proposal.others)
    yield f"  function: {draft.seal}"
    yield f"  verdict: {draft.verdict}"
    yield f"  subject: {_words(draft.subject)}"
    if any(draft.principal.values()):
        pairs = ", ".join(f"{name}: {_quoted(ref) if ref else 'null'}" for name, ref in draft.principal.items())
        yield f"  principal: {{{pairs}}}"
    elif draft.principal:
        yield f"  principal: {_words(draft.principal)}"
    if draft.state:
        yield f"  state: [{', '.join(map(_quoted, draft.state))}]"


def _capability(one: Source) -> Iterator[str]:
    key = "decorated" if one.decorated else "of"
    yield f"  # {one.evidence}"
    yield f"  {'' if one.sure else UNSURE}- {{{key}: {_quoted(one.ref)}, grant: {one.grant}}}"


def _surface(one: Proposed) -> Iterator[str]:
    yield f"  # {one.at}: {one.evidence}"
    if one.sure and not one.asks:
        last = one.way[-1] if one.way else None
        where = f" at {last.at}" if last and last.at else ""
        yield f"  # It does not ask the seal about all that gets out{where}: `invariants explain {one.row.id}` shows how."
    row = f"{one.row.id}: {{function: {_quoted(one.row.function)}, manner: {one.row.manner}}}"
    yield f"  {'' if one.sure else UNSURE}{row}"


def _rest(proposal: Proposal) -> Iterator[str]:
    module = str(PurePosixPath(HOST).with_suffix("")).replace("/", ".")
    yield f"{UNSURE}host: {module}:AgentHost    # once its methods are written"
    yield "# What this agent promises where honest agents differ; choose one of each, and it is tested on every surface."
    yield f"{UNSURE}policies: {{refusal: truthful, loaded: grows, compaction: keeps, child: ceiling, table: per-step}}"
    yield "# Where tools can be resident: the central list, and the loading paths that have to agree."
    yield f'{UNSURE}residency: {{central: "...", paths: {{loader: "...", loaderless: "..."}}}}'
    rows = {one.row.function for one in proposal.found.surfaces}
    for one in proposal.handed:
        if one.role == GATE:
            yield f"# {one.at}: {one.framework} asks {one.ref} about each tool ({one.how}): does it ask the seal?"
        elif one.ref not in rows:
            yield f"# {one.at}: {one.framework} calls {one.ref} ({one.how}), and nothing declared above gets out of it"


def _quoted(text: str) -> str:
    return f'"{text}"'


def _words(words: object) -> str:
    return json.dumps([*words]).replace('"', "") if isinstance(words, tuple | dict) else "[]"


def host(proposal: Proposal) -> str:
    return "\n".join(_host(proposal)) + "\n"


def _host(proposal: Proposal) -> Iterator[str]:
    yield '"""How the harness runs this agent: see `pytest_invariants.probe.host` for what each method has to answer."""'
    yield ""
    yield "from __future__ import annotations"
    yield ""
    yield "from collections.abc import Mapping"
    yield ""
    yield "from pytest_invariants import Facts, Host, Outcome"
    yield ""
    yield ""
    yield "class AgentHost(Host):"
    yield '    """One agent, opened anew for every script that is played."""'
    yield ""
    yield '    skills = ("an-open-skill", "a-sealed-skill")  # names that differ in what the seal is asked about'
    yield ""
    yield "    def open(self, facts: Facts) -> None:"
    yield '        raise NotImplementedError("start a fresh agent under these facts")'
    yield ""
    yield "    def seal_arguments(self, skill: str) -> Mapping[str, object]:"
    subject = proposal.draft.subject if proposal.draft else ()
    yield f'        raise NotImplementedError("what the seal is asked about for this skill: {", ".join(subject)}")'
    for one in proposal.found.surfaces:
        if one.sure:
            yield ""
            yield from _method(one)


def _method(one: Proposed) -> Iterator[str]:
    name = "".join(char if char.isalnum() else "_" for char in one.row.id)
    name += "_" if keyword.iskeyword(name) else ""
    if one.row.manner == "browse":
        yield f"    def {name}(self) -> tuple[str, ...]:"
        yield f'        raise NotImplementedError("the names of the skills that {one.row.function} lists")'
    else:
        yield f"    def {name}(self, name: str) -> Outcome:"
        yield f'        raise NotImplementedError("ask {one.row.function} for it; did it run, and what was said?")'


def pre_commit() -> str:
    """The entry of `repos:`; the hooks come from the package index and need no repository of their own."""
    return """\
  - repo: local
    hooks:
      - id: invariants-doors
        name: doors to skills and tools
        entry: invariants hook
        language: python
        additional_dependencies: [pytest-invariants]
        pass_filenames: false
        always_run: true
      - id: invariants-skills
        name: skill files
        entry: invariants hook --skills
        language: python
        additional_dependencies: [pytest-invariants]
        pass_filenames: false
        always_run: true
"""


def workflow() -> str:
    """A job for GitHub; elsewhere its last two lines are what counts."""
    return """\
name: invariants
on: [push, pull_request]
permissions:
  contents: read
jobs:
  check:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
        with: {fetch-depth: 0, persist-credentials: false}
      - uses: actions/setup-python@v5
        with: {python-version: "3.13"}
      - run: python -m pip install pytest-invariants
      - run: invariants check --format github --since "$BASE"
        env:
          BASE: ${{ github.event.pull_request.base.sha || 'HEAD~1' }}
"""
