"""slime: --custom-rm-path plumb_client.slime.custom_rm

The label is the sample's (--label-key label). With --reward-key K (or
--eval-reward-key) the reward is an object with the keys reward, score and failed;
without, a number. The daemon is found by PLUMB_URL and PLUMB_TOKEN. A sample that
could not be scored counts 0.0.
"""

from __future__ import annotations

import asyncio
from typing import Any

from plumb_client import adapter, calls, pool


async def custom_rm(args: Any, sample: Any, **kw: Any) -> Any:
    """Scores a sample, or a list of them in order. Raises BadLabel, a ValueError."""
    if not isinstance(sample, (list, tuple)):
        return await _score(args, sample, 0)
    outcomes = await asyncio.gather(*(_score(args, s, i) for i, s in enumerate(sample)), return_exceptions=True)
    for kind in (ValueError, BaseException):  # a bad label first, because the dataset is wrong
        for o in outcomes:
            if isinstance(o, kind):
                raise o
    return outcomes


async def _score(args: Any, sample: Any, position: int) -> Any:
    cfg = adapter.connect_async(None, None, None).config
    work = calls.slime(cfg, sample.label, sample.response, sample.prompt, position)
    numbers = adapter.zeroed(await asyncio.wrap_future(pool.submit(work)))
    if getattr(args, "reward_key", None) or getattr(args, "eval_reward_key", None):
        return {"reward": numbers["score"], "score": numbers["raw"], "failed": numbers["failed"]}
    return numbers["score"]
