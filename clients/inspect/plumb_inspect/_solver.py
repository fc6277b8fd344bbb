"""The solver of several turns: the model sees what became of its answer and goes on."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver
from plumb_client import AsyncEpisode, Unscorable

from plumb_inspect._content import content
from plumb_inspect._scorer import ANSWER, task_of


@solver
def plumb_turns(url: str | None = None, turns: int | None = None, mode: str | None = None, feedback: str | None = None) -> Solver:
    """Plays the episode of the label in metadata["label"]: turns is the most answers,
    mode how they build on each other, feedback what is told of each (docs/trainers.md).

    The scores of the turns stand in the store as plumb_scores, and the text that the
    scorer takes as plumb_answer. A turn that could not be scored raises Unscorable,
    so that the sample has an error and no score.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        label, client = await task_of(state, url)
        options: dict[str, Any] = {"turns": turns, "mode": mode, "feedback": feedback, "answer": True}
        episode = AsyncEpisode(label, client=client, **options)
        turn = await episode.reset()
        if turn.prompt is not None:
            state.messages[-1] = ChatMessageUser(content=content(turn.prompt))
        while not turn.done:
            if turn.turn > 0 and turn.prompt is not None:
                state.messages.append(ChatMessageUser(content=content(turn.prompt)))
            state = await generate(state)
            turn = await episode.step(state.output.completion)
            if turn.failed:
                code = turn.result.error.code if turn.result and turn.result.error else "unknown"
                raise Unscorable(f"cannot score turn {turn.turn}: {code}", code=code)
        state.store.set("plumb_scores", list(turn.observation.get("scores") or []))
        state.store.set(ANSWER, turn.answer if turn.answer is not None else state.output.completion)
        return state

    return solve
