"""Prompts, pictures and turns, and how the daemon is asked for them.

In: replies of /v1/prompt, /reset and /step, and of the task routes. Out: what a
model is asked, in the forms of chat messages, and what a step gave. Refused, with
BadAnswer: replies of another form.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from plumb_client import calls
from plumb_client.errors import BadAnswer
from plumb_client.labels import encode_json, encode_label
from plumb_client.pool import Pool
from plumb_client.result import Result, Timings, failed_result, parse_result
from plumb_client.target import Config


@dataclass(frozen=True)
class Picture:
    """A picture for the model. data is the file, of type mime; sizes are in pixels."""

    name: str
    mime: str
    width: int
    height: int
    data: bytes = field(repr=False)

    @property
    def url(self) -> str:
        """The picture as a data: URL."""
        return f"data:{self.mime};base64,{self.base64}"

    @property
    def base64(self) -> str:
        """The file in base64."""
        return base64.b64encode(self.data).decode()


@dataclass(frozen=True)
class Prompt:
    """What a model is asked: a text and the pictures before it."""

    text: str
    images: tuple[Picture, ...] = ()
    text_first: bool = False  # as SpaCE-Eval asks

    def content(self) -> str | list[dict[str, Any]]:
        """The content of a chat message: the text, or parts image_url and text."""
        if not self.images:
            return self.text
        return self.blocks(lambda t: {"type": "text", "text": t}, lambda p: {"type": "image_url", "image_url": {"url": p.url}})

    def blocks(self, text: Callable[[str], Any], image: Callable[[Picture], Any]) -> list[Any]:
        """The parts in their order, made by text(str) and image(Picture)."""
        pictures, said = [image(p) for p in self.images], [text(self.text)]
        return said + pictures if self.text_first else pictures + said


@dataclass(frozen=True)
class Turn:
    """What is seen after a reset or a step.

    reward is that of the step, None after a reset and where the scorer failed; total
    is the episode's, when it is done. result is that of the answer. answer is the
    text that has this score, merged where turns build on each other.
    """

    prompt: Prompt | None
    reward: float | None
    done: bool
    turn: int
    turns: int
    truncated: bool
    total: float | None
    answer: str | None
    result: Result | None
    observation: Mapping[str, Any] = field(repr=False)

    @property
    def failed(self) -> bool:
        """Whether the scorer could not score the step."""
        return self.turn > 0 and self.reward is None

    def content(self) -> str | list[dict[str, Any]]:
        """Prompt.content of what is asked next; "" when nothing is."""
        return self.prompt.content() if self.prompt else ""


def read_prompt(v: Mapping[str, Any], suite: str = "") -> Prompt:
    """Reads prompt and images of a reply. Raises BadAnswer."""
    text, images = v.get("prompt"), v.get("images") or []
    if not isinstance(text, str) or not isinstance(images, list):
        raise BadAnswer("cannot read prompt: want a text and a list of images")
    return Prompt(text, tuple(_picture(p) for p in images), suite == "spaceeval")


def _picture(v: Mapping[str, Any]) -> Picture:
    try:
        head, _, body = v["data"].partition(";base64,")
        data = base64.b64decode(body, validate=True)
        return Picture(str(v.get("name") or ""), head.removeprefix("data:"), int(v.get("width") or 0), int(v.get("height") or 0), data)
    except (KeyError, AttributeError, TypeError, ValueError):
        raise BadAnswer("cannot read picture: want data:MIME;base64,...") from None


def read_turn(v: Mapping[str, Any]) -> Turn:
    """Reads a reply of reset or step. Raises BadAnswer."""
    seen = v.get("observation")
    if not isinstance(seen, Mapping) or not isinstance(v.get("done"), bool) or "turn" not in seen:
        raise BadAnswer("cannot read observation: want observation, reward and done; is the daemon of this version?")
    asked = read_prompt(seen, str(seen.get("suite"))) if isinstance(seen.get("prompt"), str) else None
    line = seen.get("result")
    result = parse_result(line, Timings()) if isinstance(line, Mapping) else None
    if result is None and isinstance(e := seen.get("error"), Mapping):
        result = failed_result(str(e.get("code")), str(e.get("message")), Timings())
    return Turn(asked, v.get("reward"), v["done"], int(seen["turn"] or 0), int(seen.get("turns") or 1), bool(seen.get("truncated")),
                seen.get("return"), seen.get("answer"), result, seen)  # fmt: skip


def suite_of(label: str) -> str:
    """The suite that a label names, "" for none."""
    try:
        v = json.loads(label)
    except ValueError:
        return ""
    return str(v.get("suite") or "") if isinstance(v, dict) else ""


def move(cfg: Config, path: str, body: bytes) -> calls.Work[Turn]:
    """POST /reset or /step."""

    async def work(pool: Pool) -> Turn:
        return read_turn(await calls.posted(pool, cfg, path, body, one=True))

    return work


def ask(cfg: Config, label: object) -> calls.Work[Prompt]:
    """POST /v1/prompt."""
    text = encode_label(label)
    body = encode_json({"label": text}, "label")

    async def work(pool: Pool) -> Prompt:
        return read_prompt(await calls.posted(pool, cfg, "/v1/prompt", body), suite_of(text))

    return work


def tasks(cfg: Config, suite: str, split: str) -> calls.Work[list[dict[str, Any]]]:
    """POST /SUITE/tasks."""
    body = encode_json({"split": split}, "split")

    async def work(pool: Pool) -> list[dict[str, Any]]:
        found = (await calls.posted(pool, cfg, f"/{quote(suite, safe='')}/tasks", body)).get("tasks")
        if not isinstance(found, list) or not all(isinstance(t, dict) and "label" in t for t in found):
            raise BadAnswer(f"cannot read tasks of {cfg.name}: want a list of objects with a label")
        return found

    return work


def splits(cfg: Config, suite: str) -> calls.Work[list[str]]:
    """GET /SUITE/splits: their names."""

    async def work(pool: Pool) -> list[str]:
        found = await calls.got(pool, cfg, f"/{quote(suite, safe='')}/splits")
        if not isinstance(found, list):
            raise BadAnswer(f"cannot read splits of {cfg.name}: want a list")
        return [str(s["name"] if isinstance(s, dict) else s) for s in found]

    return work


def suites(cfg: Config) -> calls.Work[list[str]]:
    """GET /list_environments: the suites with tasks."""

    async def work(pool: Pool) -> list[str]:
        found = await calls.got(pool, cfg, "/list_environments")
        if not isinstance(found, list):
            raise BadAnswer(f"cannot read environments of {cfg.name}: want a list of names")
        return [str(name) for name in found]

    return work
