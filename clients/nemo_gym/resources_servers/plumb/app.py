"""A resources server of NeMo Gym that scores with plumb.

In: verify requests whose task data holds a label. Out: the reward, with the
benchmark's own number as `score` and the result line. A sample that could not be
scored is masked (mask_sample, failure_kind plumb:CODE), never a reward of 0 alone; a
label that cannot be used is status 422, an unreachable daemon status 503.
"""

from __future__ import annotations

from typing import Any, ClassVar

from fastapi import HTTPException
from nemo_gym.base_resources_server import (
    BaseResourcesServerConfig,
    BaseRunRequest,
    BaseVerifyRequest,
    BaseVerifyResponse,
    ReverifyMode,
    SimpleResourcesServer,
)
from plumb_client import AsyncClient, BadLabel, Unavailable, rows, versions
from pydantic import ConfigDict

versions.check("nemo-gym")


class PlumbConfig(BaseResourcesServerConfig):
    """url: the daemon, else PLUMB_URL, else one that is started with tasks, a map of
    suites to task files. variant: a named variant of the scoring rules."""

    REVERIFY_MODE: ClassVar[ReverifyMode] = ReverifyMode.STATELESS
    url: str | None = None
    tasks: dict[str, str] | None = None
    variant: str | None = None


class PlumbRunRequest(BaseRunRequest):
    """A row of the dataset."""

    model_config = ConfigDict(extra="allow")
    label: Any


class PlumbVerifyRequest(PlumbRunRequest, BaseVerifyRequest):
    """A row with the model's response."""


class PlumbVerifyResponse(BaseVerifyResponse):
    """The same with what plumb says: score is the benchmark's own number."""

    model_config = ConfigDict(extra="allow")
    score: float = 0.0
    failed: float = 0.0
    plumb_result: dict[str, Any] | None = None


def text_of(response: Any) -> str:
    """Every output_text of every message, joined."""
    parts = [p for o in response.output if o.type == "message" for p in o.content]
    return "".join(p.text for p in parts if p.type == "output_text")


class PlumbResourcesServer(SimpleResourcesServer):
    """Keeps no state: a sample can be verified again at any time."""

    config: PlumbConfig

    async def verify(self, body: PlumbVerifyRequest) -> PlumbVerifyResponse:
        """Scores one sample."""
        client = AsyncClient(rows.find(self.config.url, self.config.tasks)[0])
        variants = [self.config.variant] if self.config.variant else []
        try:
            result = await client.reward(body.label, text_of(body.response), variants=variants)
        except BadLabel as e:
            raise HTTPException(422, str(e)) from e
        except Unavailable as e:
            raise HTTPException(503, str(e), headers={"Retry-After": "1"}) from e
        echoed = body.model_dump()
        if result.reward is None or result.score is None:
            code, why = (result.error.code, result.error.message) if result.error else ("unknown", "")
            masked = {"mask_sample": True, "failure_kind": f"plumb:{code}", "failure_reason": why}
            return PlumbVerifyResponse(**echoed, reward=0.0, failed=1.0, **masked)
        return PlumbVerifyResponse(**echoed, reward=result.reward, score=result.score, plumb_result=dict(result.line))


if __name__ == "__main__":
    PlumbResourcesServer.run_webserver()
