"""GEM: environments of several turns, one for each suite.

    import gem
    import plumb_client.gem

    plumb_client.gem.register()
    env = gem.make("plumb:aspire", turns=2)
    observation, info = env.reset(seed=7)
    observation, reward, terminated, truncated, info = env.step(answer)

The seed names the task: seed s is task s mod n of those that the daemon has loaded.
An observation is a text; its pictures are PNG files in info["images"]. The daemon is
url, else PLUMB_URL, else one that is started. An answer that could not be scored
raises Unscorable, and the step can be repeated.
"""

from __future__ import annotations

from typing import Any

from plumb_client import rows, versions
from plumb_client.client import Client
from plumb_client.episode import Episode
from plumb_client.errors import Unscorable
from plumb_client.turns import Turn

try:
    from gem.core import Env
    from gem.envs import registration
except ImportError as e:
    versions.check("gem-llm", missing=e)
versions.check("gem-llm")


class PlumbEnv(Env):  # type: ignore[misc]
    """A suite. tasks maps suites to task files for a daemon that is started; split is
    that of the tasks; options are those of Episode.

    Raises ValueError for an unknown suite.
    """

    def __init__(
        self, suite: str, *, url: str | None = None, split: str = "test", tasks: dict[str, str] | None = None, **options: Any
    ) -> None:
        super().__init__()
        if suite not in rows.SUITES:
            raise ValueError(f"cannot make environment: got suite {suite!r}; want one of {', '.join(rows.SUITES)}")
        self.suite, self.split, self.options = suite, split, options
        self.url, self.tasks = url, tasks
        self.client = Client(rows.find_with(url, tasks))
        self._next = 0
        self.episode: Episode | None = None

    def reset(self, seed: int | None = None) -> tuple[str, dict[str, Any]]:
        """Begins an episode. Without a seed tasks come one after the other."""
        super().reset(seed)
        if seed is None:
            seed, self._next = self._next, self._next + 1
        self.episode = Episode(client=self.client, suite=self.suite, split=self.split, seed=seed, **self.options)
        return self._observation(self.episode.reset())

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Scores an answer. Raises Unscorable where that failed."""
        if self.episode is None:
            raise RuntimeError("cannot step: the environment was not reset")
        turn = self.episode.step(action)
        if turn.failed or turn.reward is None:
            code = turn.result.error.code if turn.result and turn.result.error else "unknown"
            self.episode.undo()
            raise Unscorable(f"cannot score answer: {code}", code=code)
        said, info = self._observation(turn)
        return said, turn.reward, turn.done and not turn.truncated, turn.truncated, info

    def spawn(self, same_state: bool = False, **kwargs: Any) -> PlumbEnv:
        """A new environment with the same settings; it does not share the state."""
        if same_state:
            raise NotImplementedError("cannot spawn with the same state: want reset with the same seed and the same answers")
        settings = {"url": self.url, "split": self.split, "tasks": self.tasks, **self.options, **kwargs}
        return PlumbEnv(settings.pop("suite", self.suite), **settings)

    def _observation(self, turn: Turn) -> tuple[str, dict[str, Any]]:
        images = [p.data for p in turn.prompt.images] if turn.prompt else []
        seen = turn.observation
        info = {"images": images, "turn": turn.turn, "turns": turn.turns, "score": seen.get("score"), "status": seen.get("status"),
                "return": turn.total, "suite": self.suite}  # fmt: skip
        return turn.prompt.text if turn.prompt else "", info


def register(prefix: str = "plumb:") -> list[str]:
    """Makes gem.make find an environment for each suite; returns their names."""
    names = [prefix + suite for suite in rows.SUITES]
    for name, suite in zip(names, rows.SUITES):
        if name not in registration.ENV_REGISTRY:
            registration.register(name, "plumb_client.gem:PlumbEnv", suite=suite)
    return names
