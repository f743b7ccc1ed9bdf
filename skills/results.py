"""What a tool gives back. Expected failures are results; only a programming error is an exception."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum


class Code(StrEnum):
    """Why a call ended as it did: the part of a result that a program may branch on."""

    OK = "OK"
    NO_IDENTITY = "NO_IDENTITY"
    BAD_ARGUMENT = "BAD_ARGUMENT"
    DOWNSTREAM_TIMEOUT = "DOWNSTREAM_TIMEOUT"
    DOWNSTREAM_ERROR = "DOWNSTREAM_ERROR"
    INTERRUPTED = "INTERRUPTED"
    UNKNOWN = "UNKNOWN"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`message` is for the model to read; `data` is JSON, or None where there is nothing to say."""

    code: Code
    message: str
    data: object = None

    @property
    def success(self) -> bool:
        return self.code is Code.OK

    def to_json(self) -> str:
        fields = {"success": self.success, "code": self.code.value, "message": self.message, "data": self.data}
        return json.dumps(fields, sort_keys=True, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> ToolResult:
        row = json.loads(text)
        return cls(Code(row["code"]), row["message"], row["data"])


def done(message: str, data: object = None) -> ToolResult:
    return ToolResult(Code.OK, message, data)


def failed(code: Code, message: str) -> ToolResult:
    return ToolResult(code, message)
