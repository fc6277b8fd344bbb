"""ORS (openreward): a server of environments in front of the daemon, one per suite.

    python -m plumb_client.openreward --tasks aspire=tasks.jsonl --port 8080

A session's prompt is the task with its pictures; the tool `answer` takes the model's
answer, and returns what became of it with the reward. The daemon is --url, else
PLUMB_URL, else one that is started with --tasks SUITE=FILE, else with tasks of
plumb's own. An answer that could not be scored is an error of the tool call, which
can be repeated, and no reward.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from plumb_client import rows, versions
from plumb_client.client import AsyncClient, Client
from plumb_client.episode import AsyncEpisode
from plumb_client.errors import Unscorable
from plumb_client.turns import Prompt

try:
    from openreward.environments import Environment, ImageBlock, Server, TextBlock, ToolOutput, tool
    from pydantic import BaseModel, Field
except ImportError as e:
    versions.check("openreward", missing=e)
versions.check("openreward")


class Answer(BaseModel):  # type: ignore[misc]
    """What the tool takes."""

    answer: str = Field(description="The answer, in the form that the prompt asks for")


def blocks(prompt: Prompt) -> list[Any]:
    """What is asked, as ORS' blocks."""
    return prompt.blocks(lambda text: TextBlock(text=text), lambda picture: ImageBlock(data=picture.base64, mimeType=picture.mime))


class PlumbEnvironment(Environment):  # type: ignore[misc]
    """A session with one task. Derived classes, made by environment(), name the suite,
    the daemon and the options of the episode."""

    suite = ""
    url = ""
    options: dict[str, Any] = {}

    def __init__(self, task_spec: Any = None, secrets: Any = None) -> None:
        super().__init__(task_spec or {}, secrets or {})
        self.episode = AsyncEpisode((task_spec or {}).get("label"), client=AsyncClient(self.url), **self.options)
        self.first: Prompt | None = None

    @classmethod
    def name(cls) -> str:
        """The suite."""
        return cls.suite

    @classmethod
    def list_splits(cls) -> Sequence[Any]:
        """The splits of which the daemon has tasks."""
        return Client(cls.url).splits(cls.suite)

    @classmethod
    def list_tasks(cls, split: str) -> Sequence[Any]:
        """The daemon's tasks: labels and public fields."""
        return Client(cls.url).tasks(cls.suite, split)

    async def setup(self) -> None:
        """Begins the episode."""
        self.first = (await self.episode.reset()).prompt

    async def get_prompt(self) -> list[Any]:
        """The task with its pictures."""
        if self.first is None:
            raise RuntimeError("cannot ask: the episode has no prompt")
        return blocks(self.first)

    @tool  # type: ignore[untyped-decorator]
    async def answer(self, params: Answer) -> ToolOutput:
        """Gives an answer to the task."""
        turn = await self.episode.step(params.answer)
        if turn.reward is None:
            code = turn.result.error.code if turn.result and turn.result.error else "unknown"
            self.episode.undo()
            raise Unscorable(f"cannot score answer: {code}", code=code)
        said = blocks(turn.prompt) if turn.prompt else [TextBlock(text="Done.")]
        seen = turn.observation
        told = {"score": seen.get("score"), "status": seen.get("status"), "turn": turn.turn, "return": turn.total}
        return ToolOutput(blocks=said, metadata=told, reward=turn.reward, finished=turn.done)


# Names in ORS' sense of a tool are those of the types themselves, not of text.
PlumbEnvironment.answer.__annotations__.update({"params": Answer, "return": ToolOutput})


def environment(suite: str, url: str, **options: Any) -> type[PlumbEnvironment]:
    """A class for Server: a suite of the daemon at url; options are those of Episode."""
    return type(f"Plumb{suite.title()}", (PlumbEnvironment,), {"suite": suite, "url": url, "options": options, "__doc__": f"Tasks of {suite}."})


def server(url: str | None = None, tasks: dict[str, str] | None = None, **options: Any) -> Any:
    """ORS' Server with every suite of which the daemon has tasks."""
    address = rows.find_with(url, tasks)
    return Server([environment(suite, address, **options) for suite in Client(address).task_suites()])


def main() -> None:
    """Reads the arguments and serves."""
    args = argparse.ArgumentParser(prog="python -m plumb_client.openreward", description="Serve plumb's tasks as ORS environments.")
    args.add_argument("--url", help="the daemon; else PLUMB_URL, else one is started")
    args.add_argument("--tasks", action="append", default=[], metavar="SUITE[:SPLIT]=FILE", help="task file for a daemon that is started")
    args.add_argument("--host", default="127.0.0.1", help="address to listen on (default %(default)s)")
    args.add_argument("--port", type=int, default=8080, help="port to listen on (default %(default)s)")
    args.add_argument("--turns", type=int, help="most answers of an episode")
    for name in ("mode", "feedback", "reward"):
        args.add_argument(f"--{name}", help=f"{name} of the episodes (docs/trainers.md)")
    given = args.parse_args()
    tasks = dict(t.split("=", 1) for t in given.tasks) if all("=" in t for t in given.tasks) else args.error("want --tasks SUITE=FILE")
    server(given.url, tasks or None, turns=given.turns, mode=given.mode, feedback=given.feedback, reward=given.reward).run(given.host, given.port)


if __name__ == "__main__":
    main()
