"""A docstring becomes Markdown: headings, prose, fenced examples."""

from __future__ import annotations

from pytest_invariants.report.pages import markdown

PAGE = """The summary.

    What it states
        Prose in
        two lines.

        A second paragraph.

    A failing example
        Some words::

            def f():

                return 1

        After it.

    Shown
        ::

            not python at all
"""

WANTED = """\
The summary.

## What it states

Prose in
two lines.

A second paragraph.

## A failing example

Some words:

```python
def f():

    return 1
```

After it.

## Shown

```text
not python at all
```"""


def test_sections_become_headings_and_examples_are_fenced() -> None:
    assert markdown(PAGE) == WANTED


def test_a_page_without_sections_stays_as_it_is() -> None:
    assert markdown("One line.\n\nAnother,\nlonger one.\n") == "One line.\n\nAnother,\nlonger one."


def test_markdown_in_a_docstring_is_left_alone() -> None:
    page = "One line.\n\n## A heading\n\nText.\n\n```python\ndef f():\n    return 1\n```"
    assert "```python\ndef f():\n    return 1\n```" in markdown(page)
