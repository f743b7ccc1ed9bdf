"""Checking arguments against a tool's JSON schema, before anything downstream hears of the call."""

from __future__ import annotations

from collections.abc import Mapping

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, best_match


def argument_problem(parameters: Mapping[str, object], arguments: Mapping[str, object]) -> str | None:
    """What is wrong with the arguments, in one sentence for the model; None where nothing is."""
    error = best_match(Draft202012Validator(parameters).iter_errors(dict(arguments)))
    if error is None:
        return None
    where = error.json_path.removeprefix("$.").removeprefix("$")
    return f"{where}: {error.message}" if where else str(error.message)


def schema_problem(parameters: Mapping[str, object]) -> str | None:
    """What is wrong with a tool's JSON schema itself; None where nothing is."""
    try:
        Draft202012Validator.check_schema(parameters)
    except SchemaError as error:
        return str(error.message)
    return None if parameters.get("type") == "object" else "the root must be of the type object"
