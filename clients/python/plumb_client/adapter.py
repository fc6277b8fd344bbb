"""What the entry points for trainers share: finding the daemon, reading texts out
of completions, and turning results into numbers.

Options common to all: url (else PLUMB_URL), token_env, the name of the environment
variable with the token (else PLUMB_TOKEN), and timeout in seconds. A token itself
is no option: trainers log their configuration.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Mapping
from typing import Any

from plumb_client.client import AsyncClient, Client
from plumb_client.errors import Unscorable
from plumb_client.result import Result

#: Deadline of one sample in seconds, retries included, unless an option says otherwise.
TIMEOUT = 120.0

#: Types of content blocks that hold text; None where a block names no type.
TEXTS = (None, "text", "output_text")


def connect(url: str | None, token_env: str | None, timeout: float | None) -> Client:
    """A client for the options of an adapter."""
    return Client(url, token=_token(token_env), timeout=timeout or TIMEOUT)


def connect_async(url: str | None, token_env: str | None, timeout: float | None) -> AsyncClient:
    """A client for the options of an adapter."""
    return AsyncClient(url, token=_token(token_env), timeout=timeout or TIMEOUT)


def _token(name: str | None) -> str | None:
    if name is None:
        return None
    if not os.environ.get(name):
        raise ValueError(f"cannot find token: the environment variable {name} is not set")
    return os.environ[name]


def options(given: Mapping[str, Any]) -> tuple[str | None, str | None, float | None]:
    """Picks the common options out of keyword arguments that hold others too."""
    return given.get("url"), given.get("token_env"), given.get("timeout")


def field(holder: object, name: str) -> Any:
    """A member of a mapping or an attribute of an object; None where there is none."""
    if isinstance(holder, Mapping):
        return holder.get(name)
    return getattr(holder, name, None)


def answer_text(completion: object) -> str:
    """The model's text: of a string itself; of a conversation the last message of
    the assistant; of content blocks their texts, joined; of a chat completion its
    first choice. Messages and blocks are mappings or objects with such attributes.
    A completion without text is the answer "", which is a bad one."""
    if completion is None:
        return ""
    if isinstance(completion, str):
        return completion
    if choices := field(completion, "choices"):
        return answer_text(field(choices[0], "message"))
    several = completion if isinstance(completion, (list, tuple)) else [completion]
    if all(map(_is_message, several)):
        said = [m for m in several if field(m, "role") == "assistant"] or several
        return content_text(field(said[-1], "content")) if said else ""
    if all(map(_is_block, several)) and any(map(_has_text, several)):
        return content_text(several)
    kind = next(type(v).__name__ for v in several if not _is_message(v))
    got = kind if several is not completion else f"a {type(completion).__name__} with {kind} in it"
    raise TypeError(f"cannot read completion: got {got}; want text, a list of messages or of content blocks")


def _is_message(value: object) -> bool:
    return _has(value, "role") or _has(value, "content")


def _is_block(value: object) -> bool:
    return _has(value, "type") or _has(value, "text")


def _has_text(value: object) -> bool:
    return field(value, "type") in TEXTS and isinstance(field(value, "text"), str)


def _has(value: object, name: str) -> bool:
    return name in value if isinstance(value, Mapping) else hasattr(value, name)


def content_text(content: object) -> str:
    """The text of a message's content: a string, or blocks of which some are text."""
    if content is None:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, (list, tuple)):
        return "".join(b if isinstance(b, str) else _block(b) for b in content)
    if _is_block(content):
        return _block(content)
    raise TypeError(f"cannot read content: got {type(content).__name__}; want text or a list of blocks")


def _block(block: object) -> str:
    return str(field(block, "text")) if _has_text(block) else ""  # such as an image


def zeroed(r: Result) -> dict[str, float]:
    """Numbers for trainers that need one for each sample: the keys are always the same."""
    if r.reward is None or r.score is None:
        return {"score": 0.0, "raw": 0.0, "failed": 1.0}
    return {"score": r.reward, "raw": r.score, "failed": 0.0}


def scored(r: Result) -> float:
    """The reward. Raises Unscorable where there is none."""
    if r.reward is None:
        code, message = (r.error.code, r.error.message) if r.error else ("unknown", "no reason given")
        raise Unscorable(f"cannot score sample: {message} ({code})", code=code)
    return r.reward


def imported(module: str, name: str, default: Any) -> Any:
    """module.name, or default where the trainer's package is not installed."""
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as e:
        if e.name and (module == e.name or module.startswith(e.name + ".")):
            return default
        raise
