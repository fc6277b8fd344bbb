"""The reward functions for verl in its real reward managers, with the real daemon.

In: the environment of `scripts/python.sh verl`, the program plumb (PLUMB_BIN).
verl loads the file that the README names, with the settings that it names. Checked:
every manager's scores are the daemon's, what could not be scored has failed 1.0,
and a label that cannot be used ends the batch. The tool is loaded by verl's registry
and called by its agent loop; what it leaves goes through the worker of rewards.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)
os.environ.update(HF_HUB_OFFLINE="1", TRANSFORMERS_OFFLINE="1", CUDA_VISIBLE_DEVICES="", TOKENIZERS_PARALLELISM="false",
                  RAY_OVERRIDE_NODE_IP_ADDRESS="127.0.0.1", RAY_USAGE_STATS_ENABLED="0", PYTHONPATH=str(HERE))  # fmt: skip

import numpy as np
import torch
from frameworks import episodes
from frameworks.episodes import BETTER, UNSCORABLE, VAGUE, WORSE
from frameworks.words import SPECIAL, tokenizer
from omegaconf import OmegaConf
from tests import daemon
from tests.readme import blocks
from tests.daemon import foreign
from tests.test_readme import words
from verl import DataProto
from verl.experimental.agent_loop.tool_agent_loop import AgentData, ToolAgentLoop
from verl.experimental.agent_loop.tool_parser import FunctionCall
from verl.experimental.reward_loop import RewardLoopWorker
from verl.tools.tool_registry import load_all_tools
from verl.trainer.ppo.reward import get_custom_reward_fn
from verl.workers.reward_manager import get_reward_manager_cls


class Verl(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        os.environ["PLUMB_URL"] = daemon.shared().url
        label, answer = foreign()
        cls.labels = [*(daemon.label(i) for i in daemon.items()[:24]), label]
        cls.answers = [*(i["response"] for i in daemon.items()[:24]), answer]
        cls.want = [{"score": e["reward"], "raw": e["score"], "failed": 0.0} for e in daemon.expected()[:24]]
        cls.want.append({"score": 0.0, "raw": 0.0, "failed": 1.0})
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.words = folder.name, tokenizer(cls.answers)
        cls.words.save_pretrained(cls.folder)

    def config(self, manager: str, name: str) -> Any:
        """verl's settings, those of the README as they stand there."""
        (path,), (function,) = words(blocks("verl", "sh")[0])
        return OmegaConf.from_dotlist([
            path, function.replace("=compute_score", f"={name}"), f"actor_rollout_ref.model.path={self.folder}",
            "actor_rollout_ref.model.tokenizer_path=null", "reward.reward_model.enable=false", "reward.num_workers=2",
            "reward.reward_manager.source=register", f"reward.reward_manager.name={manager}", "reward.max_concurrent=8",
            "trainer.experiment_name=x"])  # fmt: skip

    def batch(self, labels: list[str], **more: Any) -> DataProto:
        """Each answer is one token."""
        n = len(labels)
        ids = torch.tensor([[len(SPECIAL) + i] for i in range(n)])
        rows = np.array([{"style": "rule", "ground_truth": label} for label in labels], dtype=object)
        return DataProto.from_dict(
            tensors={"prompts": torch.full((n, 1), 3), "responses": ids, "attention_mask": torch.ones(n, 2, dtype=torch.long)},
            non_tensors={"data_source": np.array(["plumb"] * n, dtype=object), "reward_model": rows,
                         "extra_info": np.array([{} for _ in range(n)], dtype=object), **more},
        )  # fmt: skip

    def scores(self, manager: str, name: str, labels: list[str], **more: Any) -> list[dict[str, float]]:
        """What verl's worker makes of a batch."""

        async def work() -> Any:
            return await RewardLoopWorker(self.config(manager, name)).compute_score_batch(self.batch(labels, **more))

        got = asyncio.run(work())
        self.assertEqual([g["reward_score"] for g in got], [g["reward_extra_info"]["score"] for g in got])
        return [{k: g["reward_extra_info"][k] for k in ("score", "raw", "failed")} for g in got]

    def test_asynchronous_managers(self) -> None:
        for manager in ("naive", "dapo", "gdpo", "rate_limited"):
            with self.subTest(manager):
                self.assertEqual(self.scores(manager, "compute_score", self.labels), self.want)

    def test_remote_manager(self) -> None:
        """In Ray actors, which take plain functions only."""
        import ray

        ray.init(num_cpus=2, include_dashboard=False, logging_level="error", object_store_memory=100 << 20)
        self.addCleanup(ray.shutdown)
        self.assertEqual(self.scores("remote", "compute_score_sync", self.labels), self.want)

    def test_legacy_batch_manager(self) -> None:
        function = get_custom_reward_fn(self.config("naive", "compute_score_batch"))
        manager = get_reward_manager_cls("batch")(self.words, 0, function)
        got = manager(self.batch(self.labels), return_dict=True)
        self.assertEqual([dict(zip(got["reward_extra_info"], v)) for v in zip(*got["reward_extra_info"].values())], self.want)
        self.assertEqual(got["reward_tensor"][:, -1].tolist(), torch.tensor([w["score"] for w in self.want]).tolist())

    def test_bad_label(self) -> None:
        with self.assertRaisesRegex(ValueError, "nobody"):
            self.scores("naive", "compute_score", [self.labels[0], '{"suite": "aspire", "id": "nobody"}'])

    def played(self, label: str, answers: list[str], between: Callable[[], None] = lambda: None) -> tuple[AgentData, list[Any]]:
        """A trajectory whose answers go through the tool, one call each: it, and what the
        calls gave. between is called after each."""
        path = Path(self.folder) / "tools.yaml"
        path.write_text(blocks("verl, several turns", "yaml")[0].replace("turns: 3", "turns: 2"))
        loop = object.__new__(ToolAgentLoop)  # its servers are not asked
        loop.tools = {tool.name: tool for tool in load_all_tools(str(path), None)}
        loop.max_tool_response_length, loop.tool_response_truncate_side = 10000, "middle"
        data = AgentData([], [], [], None, None, {}, "x", {"answer": {"create_kwargs": {"label": label}}})
        calls = [FunctionCall(name="answer", arguments=json.dumps({"answer": a})) for a in answers]

        async def work() -> list[Any]:
            gave = []
            for call in calls:
                gave.append(await loop._call_tool(call, data.tools_kwargs, data))
                await asyncio.to_thread(between)
            return gave

        return data, asyncio.run(work())

    def test_tool(self) -> None:
        with mock.patch.dict(os.environ, PLUMB_URL=episodes.plumb().url):
            label = episodes.label("arrow-00")
            data, ((first, reward, _), (second, last, _)) = self.played(label, [WORSE, BETTER])
            worse, better = episodes.score("arrow-00", WORSE), episodes.score("arrow-00", BETTER)
            self.assertEqual((reward, last, second.text), (0.0, better, "Done."))
            self.assertIn("Score", first.text)
            self.assertEqual([i.size for i in first.image], [(1400, 800)])
            cut, _ = self.played(label, [WORSE])
            failed, ((said, none, _),) = self.played(UNSCORABLE, [VAGUE])
            self.assertIsNone(none)
            self.assertIn("could not be scored", said.text)
            fields = np.array([d.extra_fields for d in (data, cut, failed)], dtype=object)
            want = [{"score": better, "raw": better, "failed": 0.0}, {"score": worse, "raw": worse, "failed": 0.0},
                    {"score": 0.0, "raw": 0.0, "failed": 1.0}]  # fmt: skip
            for manager in ("naive", "rate_limited"):  # dapo and gdpo do not pass on what tools leave
                with self.subTest(manager):
                    self.assertEqual(self.scores(manager, "compute_score", [label, label, UNSCORABLE], tool_extra_fields=fields), want)

    def test_tool_lost_in_the_middle(self) -> None:
        """With another daemon at the address an episode goes on as one that was not cut."""
        d = episodes.Mortal(self)
        label, told = episodes.label("arrow-00"), []
        for url, between in ((d.url, d.restart_once), (episodes.plumb().url, lambda: None)):
            with mock.patch.dict(os.environ, PLUMB_URL=url):
                data, gave = self.played(label, [WORSE, BETTER], between)
                told.append((data.extra_fields, [(r.text, reward, numbers) for r, reward, numbers in gave]))
        self.assertEqual((d.restarts, told[0][1][1][1]), (1, episodes.score("arrow-00", BETTER)))
        self.assertEqual(told[0], told[1])


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
