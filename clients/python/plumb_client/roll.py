"""ROLL: a reward worker.

    rewards: {plumb: {worker_cls: plumb_client.roll.PlumbRewardWorker, ...}}

The label stands in the column `label`. The daemon is found by PLUMB_URL and
PLUMB_TOKEN. A sample that could not be scored counts 0.0.
"""

from __future__ import annotations

from typing import Any

from plumb_client import adapter

#: Rewards travel as float16, whose largest value is 65504.
LARGEST = 1000.0


def _rewards(worker: Any, data: Any) -> Any:
    import torch
    from roll.distributed.scheduler.protocol import DataProto

    if "label" not in data.non_tensor_batch:
        raise ValueError(f"cannot find labels: the batch has no column 'label'; got {sorted(data.non_tensor_batch)}")
    responses = data.batch["responses"]
    texts = worker.tokenizer.batch_decode(responses, skip_special_tokens=True)
    results = adapter.connect(None, None, None).reward_many(data.non_tensor_batch["label"], texts)
    numbers = [min(max(adapter.zeroed(r)["score"], -LARGEST), LARGEST) for r in results]
    rewards = torch.tensor(numbers, dtype=torch.float16)
    return DataProto.from_dict(
        tensors={
            "token_level_rewards": torch.zeros_like(responses, dtype=torch.float16),
            "response_level_rewards": rewards,
            "scores": rewards.clone(),
        }
    )


def _worker_class() -> Any:
    from roll.distributed.executor.worker import Worker
    from roll.distributed.scheduler.decorator import Dispatch, register
    from roll.models.model_providers import default_tokenizer_provider

    class PlumbRewardWorker(Worker):  # type: ignore[misc]
        """Scores responses with plumb."""

        def __init__(self, worker_config: Any) -> None:
            super().__init__(worker_config=worker_config)
            self.rank_info.dp_rank = self.rank_info.rank
            self.rank_info.dp_size = self.rank_info.world_size
            self.tokenizer = default_tokenizer_provider(model_args=self.worker_config.model_args)

        @register(dispatch_mode=Dispatch.ONE_TO_ALL)  # type: ignore[untyped-decorator]
        def initialize(self, pipeline_config: Any) -> None:
            """Nothing to load."""

        @register(dispatch_mode=Dispatch.DP_MP_COMPUTE, clear_cache=False)  # type: ignore[untyped-decorator]
        def compute_rewards(self, data: Any) -> Any:
            """Scores a batch. Raises BadLabel, a ValueError."""
            return _rewards(self, data)

    PlumbRewardWorker.__qualname__ = "PlumbRewardWorker"  # found by name when pickled
    return PlumbRewardWorker


def __getattr__(name: str) -> Any:
    if name != "PlumbRewardWorker":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals().setdefault(name, _worker_class())
