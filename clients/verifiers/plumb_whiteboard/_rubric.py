"""The environment for rubrics, in verifiers 0.3.1 and earlier."""

from __future__ import annotations

import json
from typing import Any

import verifiers as vf
from datasets import Dataset
from plumb_client import AsyncClient, AsyncEpisode, rows

vf.Rubric, vf.MultiTurnEnv  # noqa: B018 - ImportError where 0.4 has neither


def load(
    suite: str = "aspire",
    items: str | None = None,
    url: str | None = None,
    split: str = "test",
    turns: int = 1,
    mode: str | None = None,
    feedback: str | None = None,
    **kw: Any,
) -> Any:
    """An environment with the tasks of a suite (plumb_client.rows.load); turns, mode and
    feedback are those of an episode, kw is for MultiTurnEnv."""
    found = rows.load(suite, items, url, split=split)
    client = found.client
    data = [{"prompt": [{"role": "user", "content": _stored(client.prompt(r.label).content())}], "answer": r.label, "info": {"id": r.id}}
            for r in found.rows]  # fmt: skip
    rubric = vf.Rubric(funcs=[plumb, plumb_failed], weights=[1.0, 0.0])
    options = {"turns": turns, "mode": mode, "feedback": feedback}
    return PlumbTurns(found.url, options, eval_dataset=Dataset.from_list(data), rubric=rubric, max_turns=turns, **kw)


def _stored(content: Any) -> Any:
    """Content parts as one part with their JSON. Arrow would make parts of different shape
    equal, with nulls for missing members."""
    return content if isinstance(content, str) else [{"type": "text", "text": json.dumps(content)}]


def _restored(messages: Any) -> Any:
    """The messages with the content parts that _stored encoded."""
    said = messages[-1]
    content = said["content"] if isinstance(said, dict) else said.content
    if isinstance(content, str):
        return messages
    first = content[0]
    text = first["text"] if isinstance(first, dict) else first.text
    return [*messages[:-1], {"role": "user", "content": json.loads(text)}]


async def plumb(state: Any) -> float:
    """The reward of the episode; 0.0 with plumb_failed 1.0 where it has none."""
    return float(state.get("plumb_reward") or 0.0)


async def plumb_failed(state: Any) -> float:
    """1.0 where an answer could not be scored."""
    return float(state.get("plumb_reward") is None)


class PlumbTurns(vf.MultiTurnEnv):  # type: ignore[misc]
    """The model answers, sees what became of its answer, and goes on."""

    def __init__(self, url: str, options: dict[str, Any], **kw: Any) -> None:
        super().__init__(**kw)
        self.url, self.options = url, options

    async def setup_state(self, state: Any) -> Any:
        """Begins the episode."""
        episode = AsyncEpisode(state["answer"], client=AsyncClient(self.url), **self.options)
        await episode.reset()
        state["plumb_episode"] = episode
        state["prompt"] = _restored(state["prompt"])
        return state

    async def add_trajectory_step(self, state: Any, trajectory_step: Any) -> None:
        """Adds the step, and scores its answer at once."""
        await super().add_trajectory_step(state, trajectory_step)
        said = trajectory_step["completion"][-1]
        turn = await state["plumb_episode"].step(said["content"] if isinstance(said, dict) else said.content)
        state["plumb_turn"] = turn
        state["plumb_reward"] = None if turn.failed else turn.total if turn.total is not None else turn.result.reward
        if turn.done:
            state["final_env_response"] = []

    async def env_response(self, messages: Any, state: Any, **kw: Any) -> Any:
        """What the model is told next."""
        return [{"role": "user", "content": state["plumb_turn"].content()}]
