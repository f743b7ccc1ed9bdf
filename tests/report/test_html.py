"""The HTML page: well formed, alone, and nothing in it that the code under test could run."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest
from pytest_invariants.report import render
from pytest_invariants.verdict import Place, Step

from tests.report.fakes import EVERY_KIND, PROVED, REFUTED, UNEXAMINED, agent, report

VOID = {"meta", "br", "hr", "img", "link", "input"}


class Page(HTMLParser):
    """Reads a page and complains where a tag is not closed in its turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())

    def values(self, attribute: str) -> list[str]:
        return [str(attributes[attribute]) for _, attributes in self.tags if attribute in attributes]


@pytest.fixture
def page(tmp_path: Path) -> Page:
    return Page(render(report(agent(tmp_path), *EVERY_KIND), "html"))


def test_every_tag_is_closed(page: Page) -> None:
    assert page.open == []
    assert len(page.tags) > 50


def test_the_page_asks_nobody_for_anything(page: Page, tmp_path: Path) -> None:
    assert {tag for tag, _ in page.tags} & {"script", "link", "img", "iframe", "object"} == set()
    assert all(target.startswith("#") for target in page.values("href"))
    assert page.values("src") == []
    assert not re.search(r"url\(|@import|https?:", render(report(tmp_path, *EVERY_KIND), "html"))


def test_every_link_leads_to_a_finding_and_every_anchor_is_there_once(page: Page) -> None:
    anchors = page.values("id")
    assert len(anchors) == len(set(anchors)) == len(EVERY_KIND) - 1
    assert {target.removeprefix("#") for target in page.values("href")} <= set(anchors)


def test_what_falls_is_unfolded_and_shows_the_lines_of_source(page: Page) -> None:
    assert sum("open" in attributes for tag, attributes in page.tags if tag == "details") == 2
    assert "return [body(name) for name in names]" in page.text
    assert "return before line 3 where verdict is true" in page.text
    assert "the host has no method index" in page.text


def test_the_matrix_and_the_doors_are_there(page: Page) -> None:
    assert (
        "surface seal-consulted seal-decides index proved 5 - activate REFUTED 2 REFUTED bridge probed held"
        in page.text
    )
    assert "agent:preview agent.py:2 nothing no" in page.text
    assert "agent:dump agent.py:7 exempt: the operator's console no" in page.text


@pytest.mark.parametrize("status", [(PROVED,), (UNEXAMINED,), (REFUTED,), ()])
def test_the_title_says_how_it_went(tmp_path: Path, status: tuple[object, ...]) -> None:
    shown = report(tmp_path, *status)  # type: ignore[arg-type]
    title = re.search("<title>(.*)</title>", render(shown, "html"))
    assert title
    assert ("HOLDS" in title[1]) is (shown.status() == 0)


def test_code_under_test_cannot_write_into_the_page(tmp_path: Path) -> None:
    evil = "<script>alert('x')</script>\" onclick=\"x"
    (tmp_path / "agent.py").write_text(f"{evil}\n", encoding="utf-8")
    odd = replace(REFUTED, message=evil, remedy=f"`{evil}`", trace=(Step(Place("agent.py", 1), evil),))
    read = Page(render(report(tmp_path, odd), "html"))
    assert "script" not in {tag for tag, _ in read.tags}
    assert read.values("onclick") == []
    assert read.text.count("<script>alert('x')</script>") == 4
