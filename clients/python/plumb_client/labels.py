"""Labels: the value of a dataset row that names a task, as the daemon reads it.

In: a string, which passes as it is, or an object as datasets hand it over
(dicts, numpy arrays and scalars, Arrow scalars). Out: a JSON string. A null
field is left out at every depth: Arrow merges objects of different shape into
one struct and fills what is missing with nulls. Refused, with the position of
the sample and the field: every value that JSON does not have, NaN included.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any

from plumb_client.errors import BadLabel

#: Deepest nesting of JSON that the daemon reads (--max-depth).
MAX_DEPTH = 300


def encode_label(label: object, position: int = 0) -> str:
    """Returns the label as the string that is sent.

    Raises BadLabel, a ValueError, that names position and field.
    """
    try:
        label = _unwrap(label)
        if isinstance(label, str):
            if not label.strip():
                raise _Bad("", "got an empty string")
            return str(label)
        if not isinstance(label, Mapping):
            raise _Bad("", f"got {_name(label)}")
        return json.dumps(_clean(label, "", 1, True), allow_nan=False)
    except _Bad as e:
        want = "" if "want" in str(e) else "; want a JSON string with an item or a reference, or the same as an object"
        raise BadLabel(f"cannot use label of sample {position}: {e}{want}", position=position, field=e.field) from None


def encode_json(value: object, what: str) -> bytes:
    """Returns value as JSON; numpy and Arrow values are accepted.

    Raises ValueError that begins with what and names the field.
    """
    try:
        return json.dumps(value, allow_nan=False).encode()
    except (TypeError, ValueError, RecursionError):
        pass  # the slower way below reads arrays, and its errors name the field
    try:
        return json.dumps(_clean(value, "", 1, False), allow_nan=False).encode()
    except _Bad as e:
        raise ValueError(f"cannot send {what}: {e}") from None


class _Bad(ValueError):
    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"field {field[:200]}: {why}" if field else why)
        self.field = field


def _clean(value: object, path: str, depth: int, drop: bool) -> Any:
    value = _unwrap(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _Bad(path, f"got {value}; want a finite number, or null for a missing field")
        return value
    if depth > MAX_DEPTH:
        raise _Bad(path, f"got more than {MAX_DEPTH} levels; want at most {MAX_DEPTH}")
    if isinstance(value, Mapping):
        return _clean_object(value, path, depth, drop)
    if isinstance(value, (list, tuple)):
        return [_clean(v, f"{path}[{i}]", depth + 1, drop) for i, v in enumerate(value)]
    raise _Bad(path, f"got {_name(value)}; want what JSON can say")


def _clean_object(value: Mapping[Any, Any], path: str, depth: int, drop: bool) -> dict[str, Any]:
    out = {}
    for key, v in value.items():
        if not isinstance(key, str):
            raise _Bad(path, f"got a key that is {_name(key)}; want text")
        inner = _clean(v, f"{path}.{key}" if path else key, depth + 1, drop)
        if inner is not None or not drop:
            out[str(key)] = inner
    return out


def _unwrap(value: object) -> object:
    """Takes plain Python values out of numpy, torch, pandas and Arrow."""
    if value is None or type(value) in (str, int, float, bool, dict, list, tuple):
        return value
    for method in ("as_py", "tolist"):  # pyarrow; numpy, torch
        if callable(f := getattr(value, method, None)):
            return f()
    if type(value).__name__ in ("NAType", "NaTType"):  # pandas' nulls
        return None
    return value


def _name(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, float) and math.isnan(value):
        return "NaN (a missing value?)"
    return f"a value of type {type(value).__name__}"
