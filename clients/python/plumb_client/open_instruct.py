"""open-instruct: a verifier, chosen by the dataset name "plumb".

Importing PlumbVerifier is enough to register it:

    from plumb_client.open_instruct import PlumbVerifier

The label is the row's ground truth; the daemon is found by PLUMB_URL and PLUMB_TOKEN.
Scores are limited to 0..1; a sample that could not be scored counts 0.0, with the reason
in `reasoning`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from plumb_client import adapter
from plumb_client.result import Result


@dataclass
class _VerificationResult:
    """Stands in where open-instruct is not installed."""

    score: float
    cost: float = 0.0
    reasoning: str | None = None


class _Bare:
    """Stands in for VerifierFunction where open-instruct is not installed."""

    def __init__(self, name: str, weight: float = 1.0, verifier_config: Any = None) -> None:
        self.name, self.weight, self.verifier_config = name, weight, verifier_config


def _verdict(r: Result) -> Any:
    make = adapter.imported("open_instruct.ground_truth_utils", "VerificationResult", _VerificationResult)
    why = f"cannot score: {r.error.message}" if r.error else None
    return make(score=min(max(adapter.zeroed(r)["score"], 0.0), 1.0), cost=0.0, reasoning=why)


class _Verifier:
    """The verifier without its base class."""

    def __init__(self, verifier_config: Any = None) -> None:
        super().__init__("plumb", weight=1.0, verifier_config=verifier_config)  # type: ignore[call-arg]

    def __call__(
        self, tokenized_prediction: Any, prediction: str, label: Any, query: Any = None, rollout_state: Any = None
    ) -> Any:
        return _verdict(adapter.connect(None, None, None).reward(label, prediction))

    async def async_call(
        self, tokenized_prediction: Any, prediction: str, label: Any, query: Any = None, rollout_state: Any = None
    ) -> Any:
        """Scores one answer. Raises BadLabel, a ValueError."""
        return _verdict(await adapter.connect_async(None, None, None).reward(label, prediction))


def __getattr__(name: str) -> Any:
    if name != "PlumbVerifier":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    base = adapter.imported("open_instruct.ground_truth_utils", "VerifierFunction", _Bare)
    made = type(name, (_Verifier, base), {"__module__": __name__, "__doc__": _Verifier.__doc__})
    return globals().setdefault(name, made)


def main() -> None:
    """Runs a script of open-instruct with the verifier loaded:

    python -m plumb_client.open_instruct open_instruct/grpo_fast.py ARGUMENTS

    open-instruct collects the verifiers that are imported when it starts.
    """
    import runpy
    import sys

    if len(sys.argv) < 2:
        sys.exit("usage: python -m plumb_client.open_instruct SCRIPT [ARGUMENTS]")
    import plumb_client.open_instruct as registered  # not __main__, whose classes cannot be pickled

    registered.PlumbVerifier  # noqa: B018 - makes the class
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()
