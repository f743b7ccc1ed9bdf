"""What is said about a registry that is wrong. Each case changes one thing in a registry that reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.registry.samples import SMALL, mistakes

KEYS = (
    "known keys are `version`, `code`, `seal`, `capabilities`, `surfaces`, `relations`, `exempt`, `caches`, `host`, "
    "`residency`, `snapshots`, `policies`, `open`, `skills`"
)
SURFACE = '{activate: {function: "agent.doors:activate", manner: named}}'
NAME = "is not a name of letters, digits, `_`, `-` and `.`"
REFERENCE = "is not a reference `module:qualname`"

CHANGED = {
    "unknown key": ("surfaces", "surfces", "6:1: unknown key `surfces`; did you mean `surfaces`?"),
    "unknown value": (
        "named",
        "nmaed",
        "7:56: unknown value `nmaed` of `surfaces.activate.manner`; did you mean `named`?",
    ),
    "value unlike any": (
        "manner: named",
        "manner: loudly",
        "7:56: unknown value `loudly` of `surfaces.activate.manner`; write one of `named`, `browse`, `both`",
    ),
    "missing key": (", manner: named", "", "7:13: `surfaces.activate` lacks `manner`; add `manner: named`"),
    "missing section": ("version: 1\n", "", "1:1: the registry lacks `version`; add `version: 1`"),
    "no space after a key": (
        "grant: value",
        "grant:value",
        "5:36: unknown key `grant:value` in `capabilities[0]`; put a space after `grant:`",
    ),
    "no space after a key in a block": (
        '{function: "agent.doors:activate", manner: named}',
        "function:agent.doors:activate",
        "7:13: `surfaces.activate` must be a mapping, not text; put a space after `function:`",
    ),
    "version that is to come": (
        "version: 1",
        "version: 2",
        "1:10: `version`: this release does not know version `2` of the format; "
        "write `version: 1`, or install a release that knows it",
    ),
    "version in quotes": (
        "version: 1",
        'version: "1"',
        "1:10: `version` must be the number 1, not text; write it as in `version: 1`",
    ),
    "text for a list": (
        "code: [agent]",
        "code: agent",
        "2:7: `code` must be a list, not text; write it as in `code: [agent]`",
    ),
    "list for a mapping": (
        '\n  activate: {function: "agent.doors:activate", manner: named}',
        " [activate]",
        f"6:11: `surfaces` must be a mapping, not a list; write it as in `surfaces: {SURFACE}`",
    ),
    "no value": (
        '\n  activate: {function: "agent.doors:activate", manner: named}',
        "",
        f"6:10: `surfaces` has no value; write it as in `surfaces: {SURFACE}`, or remove the key",
    ),
    "no surfaces": (
        '\n  activate: {function: "agent.doors:activate", manner: named}',
        " {}",
        f"6:11: `surfaces` is empty: there is nothing to examine; write it as in `surfaces: {SURFACE}`",
    ),
    "no capabilities": (
        '\n  - {of: "agent.store:Skill.body", grant: value}',
        " []",
        "4:15: `capabilities` is empty: there is nothing to examine; "
        'write it as in `capabilities: [{of: "agent.store:Skill.body", grant: value}]`',
    ),
    "no code": ("[agent]", "[]", "2:7: `code` is empty: there is nothing to examine; write it as in `code: [agent]`"),
    "no subject": (
        "[categories]",
        "[]",
        "3:65: `seal.subject` is empty: there is nothing to examine; write it as in `subject: [categories]`",
    ),
    "number for a name": (
        "[categories]",
        "[2027]",
        "3:66: `seal.subject[0]` must be the name of a parameter or attribute, not a number; "
        "put it in quotes, or write it as in `categories`",
    ),
    "repeated parameter": (
        "[categories]",
        "[kind, kind]",
        "3:72: `kind` stands twice in `seal.subject`, first in line 3; remove one of them",
    ),
    "reference without a colon": (
        "agent.seal:sealed",
        "agent.seal.sealed",
        f"3:18: `seal.function`: `agent.seal.sealed` {REFERENCE}; did you mean `agent.seal:sealed`?",
    ),
    "reference as a path": (
        "agent.seal:sealed",
        "agent/seal.py::sealed()",
        f"3:18: `seal.function`: `agent/seal.py::sealed()` {REFERENCE}; did you mean `agent.seal:sealed`?",
    ),
    "reference with two colons": (
        "agent.store:Skill.body",
        "agent.store:Skill:body",
        f"5:10: `capabilities[0].of`: `agent.store:Skill:body` {REFERENCE}; did you mean `agent.store:Skill.body`?",
    ),
    "reference in curly quotes": (
        '"agent.doors:activate"',
        "\u201cagent.doors:activate\u201d",
        f"7:24: `surfaces.activate.function`: `\u201cagent.doors:activate\u201d` {REFERENCE}; "
        "did you mean `agent.doors:activate`?",
    ),
    "reference with a blank that does not break": (
        "agent.doors:activate",
        "agent.doors:\u00a0activate",
        f"7:24: `surfaces.activate.function`: `agent.doors:\\xa0activate` {REFERENCE}; "
        "did you mean `agent.doors:activate`?",
    ),
    "reference beyond repair": (
        "agent.doors:activate",
        "the door",
        f'7:24: `surfaces.activate.function`: `the door` {REFERENCE}; write it as in `"agent.doors:activate"`',
    ),
    "locals at the end": (
        "agent.doors:activate",
        "agent.doors:activate.<locals>",
        f"7:24: `surfaces.activate.function`: `agent.doors:activate.<locals>` {REFERENCE}; "
        'write it as in `"agent.doors:activate"`',
    ),
    "verdict of two kinds": (
        "verdict: sealed",
        'verdict: {is: "m:OPEN", attribute: ok}',
        "3:48: `seal.verdict` has `is`, `attribute` at once; write exactly one of `is`, `attribute`",
    ),
    "verdict of a list": (
        "verdict: sealed",
        "verdict: [sealed]",
        "3:48: `seal.verdict` must be one of `sealed`, `allowed`, `raises`, `filters`, `enters`, or a mapping, "
        "not a list; write it as in `verdict: sealed`",
    ),
    "capability of two kinds": (
        "grant: value",
        'grant: value, decorated: "m:tool"',
        "5:5: `capabilities[0]` has `of`, `decorated` at once; write exactly one of `of`, `decorated`",
    ),
    "capability of no kind": (
        'of: "agent.store:Skill.body", ',
        "",
        "5:5: `capabilities[0]` lacks `of`, `decorated`; write exactly one of `of`, `decorated`",
    ),
    "surface's id with a blank": (
        "activate:",
        "get ready:",
        f"7:3: `surfaces`: `get ready` {NAME}; did you mean `get-ready`?",
    ),
    "surface's id is the run's": ("activate:", '"*":', f"7:3: `surfaces`: `*` {NAME}; write it as in `activate`"),
    "a collection as a key": (
        "  activate:",
        "  [activate]:",
        "7:3: a key of `surfaces` must be a word, not a collection; write it as in `key: value`",
    ),
    "a merge of text": (
        '{function: "agent.d',
        '{<<: row, function: "agent.d',
        "7:18: `<<` in `surfaces.activate` must name a mapping or a list of mappings; write it as in `<<: *alias`",
    ),
    "a tag": ("code: [", "code: !!set [", "2:7: `code` carries the tag `tag:yaml.org,2002:set`; remove the tag"),
    "an object's tag": (
        '"agent.doors:activate"',
        "!!python/name:os.system x",
        "7:24: `surfaces.activate.function` carries the tag `tag:yaml.org,2002:python/name:os.system`; remove the tag",
    ),
    "unknown folder": (
        "[agent]",
        "[agnet]",
        "2:8: `code[0]`: there is no folder or package `agnet` in {root}; did you mean `agent`?",
    ),
    "unknown package": (
        "[agent]",
        "[my.pakkage]",
        "2:8: `code[0]`: there is no folder or package `my.pakkage` in {root}; "
        "write its path from the repository's root",
    ),
}

ADDED = {
    "unknown key unlike any": ("doors: {}", f"8:1: unknown key `doors`; {KEYS}"),
    "unknown key with a colon": (
        "hsot:x: 1",
        f"8:1: unknown key `hsot:x`; {KEYS}",
    ),
    "repeated key": (
        "version: 1",
        "8:1: the key `version` of the registry stands twice, first in line 1; remove or rename one of them",
    ),
    "repeated surface": (
        '  activate: {function: "m:f", manner: both}',
        "8:3: the key `activate` of `surfaces` stands twice, first in line 7; remove or rename one of them",
    ),
    "unknown policy": (
        "policies: {cild: ceiling}",
        "8:12: unknown key `cild` in `policies`; did you mean `child`?",
    ),
    "unknown value of a policy": (
        "policies: {refusal: truthfull, table: per-step}",
        "8:21: unknown value `truthfull` of `policies.refusal`; did you mean `truthful`?",
    ),
    "value of another policy": (
        "policies: {compaction: grows}",
        "8:24: unknown value `grows` of `policies.compaction`; write one of `keeps`, `resets`",
    ),
    "exemption without a reason": (
        'exempt: [{function: "m:f"}]',
        '8:10: `exempt[0]` lacks `reason`; add `reason: "operator\'s console"`',
    ),
    "exemption with a blank reason": (
        'exempt: [{function: "m:f", reason: " "}]',
        '8:36: `exempt[0].reason`: ` ` is not a sentence; write it as in `"operator\'s console"`',
    ),
    "day that is none": (
        'exempt: [{function: "m:f", reason: why, expires: 2027-02-30}]',
        "8:50: `exempt[0].expires`: there is no day `2027-02-30`; write a day of the calendar",
    ),
    "day in another notation": (
        'exempt: [{function: "m:f", reason: why, expires: 30.6.2027}]',
        "8:50: `exempt[0].expires`: `30.6.2027` is not a day such as 2027-06-30; write a day such as 2027-06-30",
    ),
    "day with a time": (
        'exempt: [{function: "m:f", reason: why, expires: 2027-06-30 10:00:00}]',
        "8:50: `exempt[0].expires`: `2027-06-30 10:00:00` is not a day such as 2027-06-30; "
        "write a day such as 2027-06-30",
    ),
    "older word for true": (
        '  other: {function: "m:f", manner: both, hidden_but_callable: yes}',
        "8:63: `surfaces.other.hidden_but_callable`: `yes` is not `true` or `false`; write `true` or `false`",
    ),
    "cache with an empty key": (
        'caches: [{of: "m:f", key: []}]',
        "8:27: `caches[0].key` is empty: there is nothing to examine; write it as in `key: [subject]`",
    ),
    "relation without a key": (
        'relations: [{of: "m:f"}]',
        "8:13: `relations[0]` lacks `key`; add `key: name`",
    ),
    "residency of one path": (
        'residency: {paths: {loader: "m:f"}}',
        "8:12: `residency` has one path and no central table: there is nothing to compare; add a path, or `central`",
    ),
    "residency of no path": (
        'residency: {central: "m:T"}',
        '8:12: `residency` lacks `paths`; add `paths: {loader: "agent.loading:with_loader"}`',
    ),
    "section without rows": (
        "exempt:",
        '8:8: `exempt` has no value; write it as in `exempt: [{function: "agent.admin:dump", '
        'reason: "operator\'s console"}]`, or remove the key',
    ),
    "the same name twice": (
        'open: ["m:P", "m:P"]',
        "8:15: `m:P` stands twice in `open`, first in line 8; remove one of them",
    ),
}


def test_the_registry_that_the_cases_change_is_right(tmp_path: Path) -> None:
    assert mistakes(tmp_path, SMALL) == []


@pytest.mark.parametrize("case", CHANGED)
def test_a_change(tmp_path: Path, case: str) -> None:
    old, new, said = CHANGED[case]
    assert old in SMALL
    assert mistakes(tmp_path, SMALL.replace(old, new)) == [said.replace("{root}", str(tmp_path))]


SKILLS = {
    "single.py": "`single.py` is no folder of {root}; write the folder's path from the repository's root",
    "skils": "there is no folder or package `skils` in {root}; did you mean `skills`?",
    "../skills": "`../skills` leads out of the repository; name a folder of the repository: what lies outside is not judged",
}


@pytest.mark.parametrize("entry", SKILLS)
def test_a_folder_of_skills_is_there_and_is_a_folder(tmp_path: Path, entry: str) -> None:
    said = mistakes(tmp_path, f"{SMALL}skills: [{entry}]\n")
    assert said == ["8:10: `skills[0]`: " + SKILLS[entry].replace("{root}", str(tmp_path))]


@pytest.mark.parametrize("case", ADDED)
def test_an_addition(tmp_path: Path, case: str) -> None:
    added, said = ADDED[case]
    assert mistakes(tmp_path, f"{SMALL}{added}\n") == [said]


@pytest.mark.parametrize(
    "added",
    [
        "policies: {}",
        "exempt: []",
        "snapshots: {}",
        'residency: {paths: {one: "m:f", two: "m:g"}}',
        'residency: {central: "m:T", paths: {one: "m:f"}}',
        'exempt: [{function: "m:f", reason: why, expires: 2028-02-29}]',
        '  other: {function: "m:f", manner: both, hidden_but_callable: false}',
    ],
)
def test_the_honest_twin_of_an_addition(tmp_path: Path, added: str) -> None:
    assert mistakes(tmp_path, f"{SMALL}{added}\n") == []


def test_all_mistakes_are_said_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = (
        SMALL.replace("version: 1", "versoin: 1")
        .replace("[agent]", "[agnet, ../agent]")
        .replace("verdict: sealed", "verdict: seeled")
        .replace("named", "mamed")
        + "policies: {table: live, chidl: ceiling}\nsurfaces: {}\nhost: 5\n"
    )
    assert [said.partition(": ")[0] for said in mistakes(tmp_path, text)] == [
        "1:1",
        "2:8",
        "2:15",
        "3:48",
        "7:56",
        "8:25",
        "9:1",
        "10:7",
    ]


def test_an_alias_repeats_no_mistake(tmp_path: Path) -> None:
    text = SMALL.replace("activate: {function", "activate: &row {functoin") + "  second: *row\n  third: *row\n"
    said = mistakes(tmp_path, text)
    assert len(said) == 3
    assert [line.partition(";")[0] for line in said] == [
        "7:19: unknown key `functoin` in `surfaces.activate`",
        "7:19: unknown key `functoin` in `surfaces.second`",
        "7:19: unknown key `functoin` in `surfaces.third`",
    ]


def test_hundreds_of_mistakes_are_said_without_guesses(tmp_path: Path) -> None:
    said = mistakes(tmp_path, SMALL + "".join(f"hots{number}: 1\n" for number in range(600)))
    assert len(said) == 600
    assert said[-1].endswith(KEYS)
