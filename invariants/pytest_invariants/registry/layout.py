"""How the rows of a YAML mapping are laid out: where the last one ends, and how one more is written like it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from yaml.nodes import CollectionNode, MappingNode, Node, ScalarNode

from pytest_invariants.registry.nodes import column_of, compose, kind_of, line_of, own_entries

Entry = tuple[Node, Node]

_ALIAS = re.compile(r"\s*:\s*\*[^\s,\[\]{}]+")
_COMMA = re.compile(r"\s*,")
_REST_OF_LINE = re.compile(r"[^\r\n]*")


@dataclass(frozen=True)
class NewRow:
    """A row to be written: a name and its text values."""

    name: str
    values: Mapping[str, str]

    def key(self) -> str:
        """The name, in quotes where YAML would take it for a number, a date or a truth value."""
        (item,) = compose(f"[{self.name}]", self.name).value
        return self.name if kind_of(item) == "str" else f'"{self.name}"'

    def entries(self, quote: str = '"') -> list[str]:
        """`key: value` for each value; one with a colon stands in quotes, if any are wanted."""
        quoted = {key: f"{quote}{value}{quote}" if ":" in value else value for key, value in self.values.items()}
        return [f"{key}: {value}" for key, value in quoted.items()]

    def in_flow(self, quote: str = '"', gap: str = " ") -> str:
        return f"{self.key()}:{gap}{{{', '.join(self.entries(quote))}}}"


def append(text: str, mapping: MappingNode, row: NewRow) -> str:
    """The text with a row after the last one of `mapping`. The caller checks that it says what was meant."""
    rows = own_entries(mapping)
    if not mapping.flow_style:
        return _append_to_block(text, rows, row)
    if not rows:
        at = mapping.start_mark.index + 1
        return text[:at] + row.in_flow() + text[at:]
    return _append_to_flow(text, mapping, rows, row)


def _append_to_block(text: str, rows: list[Entry], row: NewRow) -> str:
    eol = "\r\n" if "\r\n" in text else "\n"
    at = _line_end(text, _end(text, rows[-1]))
    return text[:at] + eol + _margin(rows) + _like_last(rows, row, eol) + text[at:]


def _append_to_flow(text: str, mapping: MappingNode, rows: list[Entry], row: NewRow) -> str:
    end = _end(text, rows[-1])
    new = row.in_flow(_quote(rows[-1]))
    line_end = _line_end(text, end)
    if mapping.end_mark.index <= line_end:
        return f"{text[:end]}, {new}{text[end:]}"
    eol = "\r\n" if "\r\n" in text else "\n"
    comma = _COMMA.match(text, end)
    rest = text[comma.end() if comma else end : line_end]
    return f"{text[:end]},{rest}{eol}{_margin(rows)}{new}{',' if comma else ''}{text[line_end:]}"


def _like_last(rows: list[Entry], row: NewRow, eol: str) -> str:
    """The row as a block where the last one is one, and else in braces, aligned with the rows above."""
    value = rows[-1][1]
    quote = _quote(rows[-1])
    if isinstance(value, MappingNode) and not value.flow_style and not _is_alias(rows[-1]):
        inner = _margin(own_entries(value))
        return eol.join([f"{row.key()}:", *(inner + entry for entry in row.entries(quote))])
    return row.in_flow(quote, _gap(rows, row))


def _gap(rows: list[Entry], row: NewRow) -> str:
    """The blanks after the colon: one, or as many as bring the value under the values above."""
    columns = {column_of(value) for key, value in rows if line_of(key) == line_of(value)}
    widths = {len(str(key.value)) for key, _ in rows}
    if len(columns) != 1 or len(widths) < 2:
        return " "
    return " " * max(1, columns.pop() - len(_margin(rows)) - len(row.key()) - 2)


def _margin(rows: list[Entry]) -> str:
    return " " * (column_of(rows[-1][0]) - 1)


def _quote(row: Entry) -> str:
    """The quotes that the last row puts around a reference."""
    for _, value in own_entries(row[1]):
        if isinstance(value, ScalarNode) and ":" in value.value:
            return value.style if value.style in ("'", '"') else ""
    return '"'


def _is_alias(entry: Entry) -> bool:
    key, value = entry
    return int(value.start_mark.index) < int(key.start_mark.index)


def _end(text: str, entry: Entry) -> int:
    """The index behind an entry. A block's own mark is no help: it stands behind the comments that follow."""
    key, value = entry
    if _is_alias(entry):
        alias = _ALIAS.match(text, key.end_mark.index)
        return alias.end() if alias else int(key.end_mark.index)
    if isinstance(value, CollectionNode) and not value.flow_style:
        inner = own_entries(value) or [(value.value[-1], value.value[-1])]
        return _end(text, inner[-1])
    return len(text[: value.end_mark.index].rstrip())


def _line_end(text: str, index: int) -> int:
    rest = _REST_OF_LINE.match(text, index)
    return rest.end() if rest else index
