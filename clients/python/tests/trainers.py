"""Stand-ins for the packages of trainers that cannot be installed here: the
interfaces that the adapters build on, put into sys.modules for the time of a test.
Read from NeMo-RL 7ea279ab, open-instruct e6c3044a and ROLL 8eb27cc2."""

from __future__ import annotations

import importlib
import sys
import types
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple
from unittest import mock

import numpy as np


@contextmanager
def installed(adapter: str, made: str, **modules: dict[str, Any]) -> Iterator[None]:
    """Installs modules (dots written as __) and makes the adapter forget its class."""
    fake = {}
    for name, content in modules.items():
        path = name.replace("__", ".")
        for i in range(path.count(".") + 1):
            parent = path.rsplit(".", i)[0]
            fake.setdefault(parent, types.ModuleType(parent))
        fake[path].__dict__.update(content)
    module = importlib.import_module(adapter)
    with mock.patch.dict(sys.modules, fake):
        vars(module).pop(made, None)
        try:
            yield
        finally:
            vars(module).pop(made, None)


class EnvironmentReturn(NamedTuple):
    """nemo_rl.environments.interfaces.EnvironmentReturn"""

    observations: Any
    metadata: Any
    next_stop_strings: Any
    rewards: Any
    terminateds: Any
    answers: Any = None


class EnvironmentInterface(ABC):
    """nemo_rl.environments.interfaces.EnvironmentInterface"""

    @abstractmethod
    def step(self, message_log_batch: Any, metadata: Any) -> Any: ...

    @abstractmethod
    def global_post_process_and_metrics(self, batch: Any) -> Any: ...


def nemo_rl_modules() -> dict[str, dict[str, Any]]:
    """Where NeMo-RL keeps its environments, empty."""
    entries: dict[str, Any] = {}

    def register_env(env_name: str, actor_class_fqn: str) -> None:
        if env_name in entries:
            raise ValueError(f"Env name {env_name} already registered")
        entries[env_name] = {"actor_class_fqn": actor_class_fqn}

    return {
        "nemo_rl__distributed__ray_actor_environment_registry": {"ACTOR_ENVIRONMENT_REGISTRY": {}},
        "nemo_rl__distributed__virtual_cluster": {"PY_EXECUTABLES": types.SimpleNamespace(SYSTEM="python")},
        "nemo_rl__environments__utils": {"ENV_REGISTRY": entries, "register_env": register_env},
    }


class VerificationResult:
    """open_instruct.ground_truth_utils.VerificationResult"""

    def __init__(self, score: float, cost: float = 0.0, reasoning: str | None = None) -> None:
        self.score, self.cost, self.reasoning = score, cost, reasoning


class VerifierFunction(ABC):
    """open_instruct.ground_truth_utils.VerifierFunction"""

    def __init__(self, name: str, weight: float = 1.0, verifier_config: Any = None) -> None:
        self.name, self.weight, self.verifier_config = name, weight, verifier_config

    @abstractmethod
    def __call__(self, tokenized_prediction: Any, prediction: str, label: Any, query: Any = None, rollout_state: Any = None) -> Any: ...


class Tensor:
    """As much of torch as the adapters use."""

    def __init__(self, values: Any, dtype: Any = None) -> None:
        self.values, self.dtype = np.array(values, dtype=dtype), dtype

    def clone(self) -> Tensor:
        return Tensor(self.values.copy(), self.dtype)

    def __len__(self) -> int:
        return len(self.values)

    def tolist(self) -> Any:
        return self.values.tolist()


TORCH = {
    "tensor": Tensor,
    "zeros_like": lambda t, dtype=None: Tensor(np.zeros_like(t.values), dtype),
    "float16": np.float16,
}


class Worker:
    """roll.distributed.executor.worker.Worker"""

    def __init__(self, worker_config: Any) -> None:
        self.worker_config = worker_config
        self.rank_info = types.SimpleNamespace(rank=3, world_size=8, dp_rank=None, dp_size=None)


class DataProto:
    """roll.distributed.scheduler.protocol.DataProto"""

    def __init__(self, batch: Any, non_tensor_batch: Any) -> None:
        self.batch, self.non_tensor_batch = batch, non_tensor_batch

    @classmethod
    def from_dict(cls, tensors: Any) -> DataProto:
        return cls(tensors, {})


def roll_register(**how: Any) -> Any:
    """roll.distributed.scheduler.decorator.register"""

    def mark(f: Any) -> Any:
        f.how = how
        return f

    return mark


def roll_modules(tokenizer: Any) -> dict[str, dict[str, Any]]:
    """What a reward worker of ROLL imports; its tokenizer is the given one."""
    return {
        "roll__distributed__executor__worker": {"Worker": Worker},
        "roll__distributed__scheduler__decorator": {
            "Dispatch": types.SimpleNamespace(ONE_TO_ALL=1, DP_MP_COMPUTE=2), "register": roll_register},
        "roll__distributed__scheduler__protocol": {"DataProto": DataProto},
        "roll__models__model_providers": {"default_tokenizer_provider": lambda model_args: tokenizer},
        "torch": TORCH,
    }  # fmt: skip
