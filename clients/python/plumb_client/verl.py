"""verl: custom reward functions.

    reward.custom_reward_function.path=.../plumb_client/verl.py  (this file)
    reward.custom_reward_function.name=compute_score             (the default)
    reward.custom_reward_function.reward_kwargs.url=http://...

compute_score is for the managers naive, dapo, gdpo and rate_limited, compute_score_sync
for remote, compute_score_batch for the legacy batch manager. The label is the
ground truth; data_source is not read. Always the keys score, raw and failed: a
sample that could not be scored has failed 1.0 and score 0.0.

PlumbTool is a tool `answer` for episodes of several turns, named in the file of
actor_rollout_ref.rollout.multi_turn.tool_config_path:

    tools: [{class_name: plumb_client.verl.PlumbTool, config: {type: native, turns: 3}}]

The row's tools_kwargs give it the label: {"answer": {"create_kwargs": {"label": L}}}.
Where it was used, compute_score and its variants return the last answer's score.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any

from plumb_client import adapter, versions
from plumb_client.episode import OPTIONS, AsyncEpisode
from plumb_client.errors import PlumbError
from plumb_client.turns import Turn


async def compute_score(
    data_source: Any, solution_str: str, ground_truth: Any, extra_info: Any = None, **reward_kwargs: Any
) -> dict[str, float]:
    """Scores one answer. Raises BadLabel, a ValueError."""
    if (numbers := _of_tool(extra_info)) is not None:
        return numbers
    client = adapter.connect_async(*adapter.options(reward_kwargs))
    return adapter.zeroed(await client.reward(ground_truth, solution_str))


def compute_score_sync(
    data_source: Any, solution_str: str, ground_truth: Any, extra_info: Any = None, **reward_kwargs: Any
) -> dict[str, float]:
    """compute_score for the manager `remote`, which rejects coroutines."""
    if (numbers := _of_tool(extra_info)) is not None:
        return numbers
    return adapter.zeroed(adapter.connect(*adapter.options(reward_kwargs)).reward(ground_truth, solution_str))


def compute_score_batch(
    data_sources: Sequence[Any],
    solution_strs: Sequence[str],
    ground_truths: Sequence[Any],
    extra_infos: Sequence[Any],
    **reward_kwargs: Any,
) -> list[dict[str, float]]:
    """Scores a batch, all samples at once, in order."""
    numbers = [_of_tool(extra_infos[i]) if i < len(extra_infos) else None for i in range(len(solution_strs))]
    left = [i for i, n in enumerate(numbers) if n is None]
    client = adapter.connect(*adapter.options(reward_kwargs))
    scored = iter(client.reward_many([ground_truths[i] for i in left], [solution_strs[i] for i in left]))
    return [adapter.zeroed(next(scored)) if n is None else n for n in numbers]


#: Where PlumbTool leaves the numbers of its last answer, among verl's extra fields.
NUMBERS = "plumb"


def _of_tool(extra_info: Any) -> dict[str, float] | None:
    """The numbers of the tool's last answer, None where it was not used."""
    found = extra_info.get(NUMBERS) if isinstance(extra_info, Mapping) else None
    return dict(found) if found else None


class _Tool:
    """The tool without its base class. Its configuration may hold url, token_env,
    timeout and the options of an episode (docs/trainers.md). For an answer that could
    not be scored the model is told so, there is no reward, and the sample is marked as
    failed."""

    def __init__(self, config: Any, tool_schema: Any = None) -> None:
        super().__init__(config, tool_schema or _schema())  # type: ignore[call-arg]
        self.labels: dict[str, Any] = {}
        self.client = adapter.connect_async(*adapter.options(config))
        self.options = {k: config[k] for k in OPTIONS if k in config}

    async def create(self, instance_id: str | None = None, **kwargs: Any) -> tuple[str, Any]:
        """Notes the label of create_kwargs."""
        name, response = await super().create(instance_id, **kwargs)  # type: ignore[misc]
        self.labels[name] = (kwargs.get("create_kwargs") or kwargs).get("label")
        return name, response

    async def execute(self, instance_id: str, parameters: dict[str, Any], **kwargs: Any) -> tuple[Any, float | None, dict[str, Any]]:
        """Scores an answer; the episode goes on with agent_data, verl's trajectory."""
        data = kwargs["agent_data"]
        # The sample counts as failed until the answer is scored, because verl takes an
        # exception of a tool for a reward of 0.
        data.extra_fields[NUMBERS] = {"score": 0.0, "raw": 0.0, "failed": 1.0}
        try:
            episode = getattr(data, "plumb_episode", None)
            if episode is None:
                episode = data.plumb_episode = AsyncEpisode(self.labels.get(instance_id), client=self.client, **self.options)
            if episode.last is None:  # also where an earlier reset failed
                await episode.reset()
            if episode.last is not None and episode.last.done:
                if episode.last.result is not None:
                    data.extra_fields[NUMBERS] = adapter.zeroed(episode.last.result)
                return _response("The task is done."), None, {}
            turn = await episode.step(str(parameters.get("answer", "")))
        except (PlumbError, ValueError) as e:
            return _response(f"The answer could not be scored: {e}"), None, {}
        if turn.result is None or turn.result.reward is None:
            return _response("The answer could not be scored."), None, {}
        numbers = adapter.zeroed(turn.result)
        data.extra_fields[NUMBERS] = numbers
        return _response(turn.prompt.text if turn.prompt else "Done.", turn), turn.reward, dict(numbers)

    async def release(self, instance_id: str, **kwargs: Any) -> None:
        """Forgets the label."""
        self.labels.pop(instance_id, None)


def _response(text: str, turn: Turn | None = None) -> Any:
    from verl.tools.schemas import ToolResponse

    images = turn.prompt.images if turn is not None and turn.prompt is not None else ()
    if not images:
        return ToolResponse(text=text)
    from PIL import Image

    return ToolResponse(text=text, image=[Image.open(io.BytesIO(p.data)) for p in images])


def _schema() -> Any:
    from verl.tools.schemas import OpenAIFunctionToolSchema

    answer = {"type": "string", "description": "The answer, in the form that the task asks for"}
    parameters = {"type": "object", "properties": {"answer": answer}, "required": ["answer"]}
    function = {"name": "answer", "description": "Gives an answer to the task and shows what became of it.", "parameters": parameters}
    return OpenAIFunctionToolSchema.model_validate({"type": "function", "function": function})


def __getattr__(name: str) -> Any:
    if name != "PlumbTool":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from verl.tools.base_tool import BaseTool

    versions.check("verl")
    made = type(name, (_Tool, BaseTool), {"__module__": __name__, "__doc__": _Tool.__doc__})
    return globals().setdefault(name, made)
