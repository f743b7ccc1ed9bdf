"""What becomes of a value, told from the text: whether a coroutine that it may be could ever be awaited."""

from __future__ import annotations

import ast

import pytest
from pytest_invariants.flow.relevance.manners import manner_of, manners
from pytest_invariants.flow.relevance.uses import Uses
from pytest_invariants.program.code import FunctionInfo

DROPPED = {
    "a statement": "x.get(k)",
    "a test": "if x.get(k): pass",
    "a comparison": "return x.get(k) is None",
    "an attribute of it": "return x.get(k).name",
    "an entry of it": "return x.get(k)[0]",
    "a key": "return d[x.get(k)]",
    "a text": "return f'{x.get(k)}'",
    "joined to a text": "return 'a' + x.get(k)",
    "its length": "return len(x.get(k))",
    "a loop over it": "for one in x.get(k): print(one)",
    "spread": "f(*x.get(k), **x.get(k))",
    "either, as a test": "if x.get(k) or x.get(j): pass",
    "a variable that is tested": "v = x.get(k)\n    if v is None: return v is None",
    "a variable whose parts are read": "v = x.get(k) or {}\n    return v.items()",
    "a variable by walrus": "if v := x.get(k): return str(v)",
    "a decorator": "@x.get(k)\n    def inner(): pass",
    "a condition": "return 1 if x.get(k) else 2",
}
KEPT = {
    "awaited": "return await x.get(k)",
    "awaited later": "v = x.get(k)\n    return await v",
    "awaited in a nested function": "v = x.get(k)\n    async def inner(): return await v\n    return inner",
    "returned": "return x.get(k)",
    "yielded": "yield x.get(k)",
    "handed on": "gather(x.get(k))",
    "handed on by keyword": "f(a=x.get(k))",
    "handed on later": "v = x.get(k)\n    f(v)",
    "kept in a list": "v = [x.get(k)]\n    return v",
    "kept in a field": "self.v = x.get(k)",
    "kept in a dictionary": "d[k] = x.get(k)",
    "kept as a key": "d[x.get(k)] = 1",
    "kept in a variable of the module": "global v\n    v = x.get(k)",
    "an operator of somebody's": "return x.get(k) | y",
    "run by hand": "x.get(k).send(None)",
    "awaited by its method": "yield from x.get(k).__await__()",
    "of two names": "a, b = x.get(k)\n    return a",
    "one of two": "return x.get(k) or y",
    "what a lambda gives": "return lambda: x.get(k)",
    "a name that is bound anew": "len = f\n    return len(x.get(k))",
    "read by all names": "v = x.get(k)\n    return locals()",
    "a class variable": "class C:\n        v = x.get(k)\n    return C",
    "an asynchronous loop": "async for one in x.get(k): print(one)",
    "a pattern": "match x.get(k):\n        case v: return v",
}


def _said(body: str) -> tuple[Uses, ast.Attribute]:
    node = ast.parse(f"async def f(x, k, j, d, y, self):\n    {body}\n").body[0]
    found = [n for n in ast.walk(node) if isinstance(n, ast.Attribute) and n.attr == "get"]
    return Uses(node, ()), found[0]


@pytest.mark.parametrize("body", DROPPED.values(), ids=list(DROPPED))
def test_what_is_only_looked_at_is_never_awaited(body: str) -> None:
    uses, node = _said(body)
    assert manner_of(node, uses).startswith("calls 1 ")


@pytest.mark.parametrize("body", KEPT.values(), ids=list(KEPT))
def test_what_is_kept_or_handed_on_may_be(body: str) -> None:
    uses, node = _said(body)
    assert manner_of(node, uses).startswith("awaits 1 ")


@pytest.mark.parametrize(
    ("body", "manner"),
    [
        ("return x.get.name", "reads "),
        ("x.get = 1", "reads "),
        ("return x.get", ""),
        ("x.get(*k)", "calls * "),
        ("x.get(a=1)", "calls * "),
        ("x.get()", "calls 0 "),
    ],
)
def test_the_manner_says_what_is_done(body: str, manner: str) -> None:
    uses, node = _said(body)
    assert manner_of(node, uses) == manner


@pytest.mark.parametrize(
    ("text", "runs", "rests"),
    [
        ("def get(self, key): ...", {"calls 1 ", "awaits 1 ", "calls * "}, {"reads ", "calls 3 "}),
        ("async def get(self, key): ...", {"awaits 1 ", "awaits * "}, {"reads ", "calls 1 ", "calls * "}),
        ("def get(self, key, other=1): ...", {"calls 1 ", "calls 2 "}, {"calls 4 "}),
        ("def get(self, *keys): ...", {"calls 0 ", "calls 6 "}, {"reads "}),
        ("@property\ndef get(self): ...", {"reads ", "calls 0 ", "calls 2 "}, set()),
        ("@made\nasync def get(self): ...", {"reads ", "calls 0 "}, set()),
        ("@override\nasync def get(self): ...", {"awaits 0 "}, {"reads ", "calls 0 "}),
    ],
)
def test_a_method_runs_where_it_is_mentioned_so(text: str, runs: set[str], rests: set[str]) -> None:
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    found = set(manners(FunctionInfo("m", "C.get", "m.py", node)))
    assert runs <= found
    assert not rests & found
