"""Random changes of a program's text, of the kinds that people commit, and of some that nobody would."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
Change = Callable[["Text"], str | None]
HOLDERS = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Text:
    """One file that is to be changed, and names that the whole program speaks of."""

    path: str
    text: str
    names: tuple[str, ...]
    chance: random.Random

    @property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    def functions(self) -> list[Function]:
        return [node for node in ast.walk(self.tree) if isinstance(node, Function)]

    def one(self) -> Function | None:
        found = self.functions()
        return self.chance.choice(found) if found else None

    def name(self) -> str:
        """One that the program speaks of, or a new one."""
        return self.chance.choice(self.names) if self.chance.random() < 0.7 else f"new_{self.chance.randrange(9)}"

    def inserted(self, after: int, *rows: str) -> str:
        lines = self.lines
        return "\n".join([*lines[:after], *rows, *lines[after:]]) + "\n"

    def replaced(self, node: ast.stmt | ast.expr, text: str) -> str:
        lines = self.lines
        start, end = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        before = lines[start].encode()[: node.col_offset].decode()
        after = lines[end].encode()[node.end_col_offset :].decode()
        return "\n".join([*lines[:start], before + text + after, *lines[end + 1 :]]) + "\n"

    def source(self, node: ast.stmt | ast.expr) -> str:
        return ast.get_source_segment(self.text, node) or ""


def statements(function: ast.AST) -> list[ast.stmt]:
    return [node for node in ast.walk(function) if isinstance(node, ast.stmt) and node is not function]


def comment(text: Text) -> str:
    rows = len(text.lines)
    return text.inserted(text.chance.randint(0, rows), text.chance.choice(("# more", "    # of it = 1", "", "\n")))


def documentation(text: Text) -> str | None:
    holder = text.chance.choice([node for node in ast.walk(text.tree) if isinstance(node, HOLDERS) and node.body])
    first = holder.body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        return text.replaced(first, f'"""{text.name()} otherwise.\n\n{text.chance.choice((".x = 2", "No."))}\n"""')
    return text.inserted(first.lineno - 1, " " * first.col_offset + f'"""Say {text.name()}."""')


def constant(text: Text) -> str | None:
    found = [
        node for node in ast.walk(text.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str | int)
    ]
    inside = {id(part) for node in ast.walk(text.tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    found = [node for node in found if id(node) not in inside]
    if not found:
        return None
    node = text.chance.choice(found)
    other = text.name() if isinstance(node.value, str) else text.chance.randrange(5)
    return text.replaced(node, repr(other))


def renamed(text: Text) -> str | None:
    """A local variable by another name."""
    function = text.one()
    if function is None:
        return None
    stored = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if not stored:
        return None
    old, new = text.chance.choice(sorted(stored)), text.name()
    return _rewritten(text, function, lambda name: new if name == old else name)


def _rewritten(text: Text, function: Function, change: Callable[[str], str]) -> str:
    lines = text.lines
    uses = [n for n in ast.walk(function) if isinstance(n, ast.Name)]
    for node in sorted(uses, key=lambda n: (n.lineno, n.col_offset), reverse=True):
        row = lines[node.lineno - 1].encode()
        end = node.end_col_offset or node.col_offset
        lines[node.lineno - 1] = (row[: node.col_offset] + change(node.id).encode() + row[end:]).decode()
    return "\n".join(lines) + "\n"


def guarded(text: Text) -> str | None:
    return _at_start(text, f"if {text.name()} is None:\n    return None")


def called(text: Text) -> str | None:
    name, other = text.name(), text.name()
    forms = (
        f"{name}()", f"print({name})", f"{other} = {name}", f"{name}.{other}", f"logger.info({name!r})", "pass",
        f"{name}.{other}({name})", f"getattr({name}, {other!r})", f"getattr({name}, {other})",
        f"for {name} in {other}:\n    print({name}.body)", f"{name} = lambda {other}: {other}.{name}",
        f"with {name}() as {other}:\n    {other}.{text.name()}()",
        f"try:\n    {name}()\nexcept {other}:\n    pass",
    )  # fmt: skip
    return _at_start(text, text.chance.choice(forms))


def stored(text: Text) -> str | None:
    name, other = text.name(), text.name()
    forms = (
        f"{name}.{other} = 1",
        f"{name}[{other!r}] = 2",
        f"global {name}\n{name} = {other}",
        f"self.{name} = {other}",
    )
    return _at_start(text, text.chance.choice(forms))


def imported(text: Text) -> str | None:
    forms = (
        f"import {text.name()}",
        f"from . import {text.name()} as {text.name()}",
        "import json",
        'x = "agent.store"',
    )
    return _at_start(text, text.chance.choice(forms))


def nested(text: Text) -> str | None:
    name = text.name()
    return _at_start(
        text, text.chance.choice((f"def {name}():\n    return {text.name()}", f"class {name}:\n    x = 1"))
    )


def yielding(text: Text) -> str | None:
    return _at_start(text, f"if {text.name()}:\n    yield")


def _at_start(text: Text, code: str) -> str | None:
    """Put code at the start of a block, somewhere in the file."""
    function = text.one()
    if function is None:
        return None
    blocks = [function.body]
    blocks += [node.body for node in ast.walk(function) if isinstance(node, ast.If | ast.For | ast.With | ast.Try)]
    first = text.chance.choice(blocks)[0]
    return text.inserted(first.lineno - 1, *(" " * first.col_offset + row for row in code.split("\n")))


def dropped(text: Text) -> str | None:
    """A statement less."""
    function = text.one()
    return text.replaced(text.chance.choice(statements(function)), "pass") if function is not None else None


def dropped_guard(text: Text) -> str | None:
    found = [node for node in ast.walk(text.tree) if isinstance(node, ast.If)]
    return text.replaced(text.chance.choice(found), "pass") if found else None


def negated(text: Text) -> str | None:
    found = [node for node in ast.walk(text.tree) if isinstance(node, ast.If)]
    node = text.chance.choice(found) if found else None
    return text.replaced(node.test, f"not ({text.source(node.test)})") if node is not None else None


def added_door(text: Text) -> str | None:
    """A function more: a copy of one that is there, or one that says something."""
    tops = [node for node in text.tree.body if isinstance(node, Function)]
    if not tops or text.chance.random() < 0.3:
        return text.inserted(len(text.lines), "", "", f"def {text.name()}(turn, name):", f"    return {text.name()}")
    node = text.chance.choice(tops)
    copy = text.source(node).replace(f"def {node.name}(", f"def {text.name()}(", 1)
    return text.inserted(len(text.lines), "", "", *copy.split("\n"))


def signature(text: Text) -> str | None:
    """A decorator, a default, an annotation, another name."""
    function = text.one()
    if function is None:
        return None
    if function.decorator_list and text.chance.random() < 0.3:
        row = function.decorator_list[0].lineno - 1
        return "\n".join([*text.lines[:row], "", *text.lines[row + 1 :]]) + "\n"
    if text.chance.random() < 0.4:
        first = min([function.lineno, *(each.lineno for each in function.decorator_list)])
        return text.inserted(first - 1, " " * function.col_offset + f"@{text.name()}")
    annotated = [each for each in function.args.args if each.annotation is not None]
    if annotated and text.chance.random() < 0.5:
        return text.replaced(text.chance.choice(annotated).annotation or ast.Name("x"), text.name())
    row = text.lines[function.lineno - 1]
    end = row.rfind(")")
    if end < 0 or "**" in row:
        return None
    comma = "" if row[:end].rstrip().endswith(("(", ",")) else ", "
    changed = f"{row[:end]}{comma}{text.name()}={text.name()}{row[end:]}"
    return "\n".join([*text.lines[: function.lineno - 1], changed, *text.lines[function.lineno :]]) + "\n"


def base(text: Text) -> str | None:
    found = [node for node in ast.walk(text.tree) if isinstance(node, ast.ClassDef)]
    if not found:
        return None
    node = text.chance.choice(found)
    row = text.lines[node.lineno - 1]
    other = row.replace(f"class {node.name}(", f"class {node.name}({text.name()}, ", 1)
    other = other if other != row else row.replace(f"class {node.name}:", f"class {node.name}({text.name()}):", 1)
    return "\n".join([*text.lines[: node.lineno - 1], other, *text.lines[node.lineno :]]) + "\n"


def module_statement(text: Text) -> str:
    name, other = text.name(), text.name()
    forms = (f"{name} = {other}", f"{name} = 1", f"{name}.{other} = {text.name()}", f"{name} = lambda x: x.{other}")
    places = [node.end_lineno or 0 for node in text.tree.body] or [0]
    return text.inserted(text.chance.choice(places), text.chance.choice(forms))


def moved(text: Text) -> str | None:
    """Two definitions of a module change places."""
    tops = [
        node for node in text.tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.decorator_list
    ]
    if len(tops) < 2:
        return None
    at = text.chance.randrange(len(tops) - 1)
    one, other = tops[at : at + 2]
    swapped = text.replaced(other, text.source(one))
    return Text(text.path, swapped, text.names, text.chance).replaced(one, text.source(other))


def form(text: Text) -> str | None:
    """The same code on other lines."""
    found = [
        node.value
        for node in ast.walk(text.tree)
        if isinstance(node, ast.Return | ast.Assign | ast.Expr) and node.value is not None
    ]
    found = [each for each in found if "\n" not in text.source(each) and not isinstance(each, ast.Yield | ast.Await)]
    if not found:
        return None
    node = text.chance.choice(found)
    return text.replaced(node, text.chance.choice(("({0}\n)", "(\n{0})")).format(text.source(node)))


KINDS: tuple[Change, ...] = (
    comment, documentation, constant, renamed, guarded, called, stored, imported, nested, yielding, dropped, dropped_guard,
    negated, added_door, signature, base, module_statement, moved, form,
)  # fmt: skip


def words(files: dict[str, str]) -> tuple[str, ...]:
    """The names that a program speaks of."""
    trees = [ast.parse(text) for path, text in files.items() if path.endswith(".py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    found = {node.id for node in nodes if isinstance(node, ast.Name)}
    found |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    return tuple(sorted(found | {node.name for node in nodes if isinstance(node, Function | ast.ClassDef)}))


def edits(files: dict[str, str], seed: int, kinds: tuple[Change, ...] = KINDS) -> Iterator[tuple[str, dict[str, str]]]:
    """Versions of a program without end, each with the kind of change and the file that it was made to."""
    chance = random.Random(seed)
    names = words(files)
    paths = [path for path in files if path.endswith(".py") and files[path].strip()]
    while True:
        kind, path = chance.choice(kinds), chance.choices(paths, [len(files[path]) for path in paths])[0]
        try:
            changed = kind(Text(path, files[path], names, chance))
            if changed is None or changed == files[path]:
                continue
            compile(changed, path, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, IndexError):
            continue
        yield f"{kind.__name__} in {path}", {**files, path: changed}
