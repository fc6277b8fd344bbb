"""The reward function inside the real GRPOTrainer, with the real daemon.

In: the environment of `scripts/python.sh trl` and the program plumb (PLUMB_BIN).
A tiny random model is made here, nothing is downloaded: each word of its
vocabulary is a whole answer, so that answers of one token are worth different
rewards. Checked: the rewards that the trainer computes with are those that the
daemon gives for the same completions when asked over plain HTTP, a sample without
a score is left out, labels survive their way through datasets and Arrow, and a bad
label ends the run. A tiny model that sees pictures runs with pictures in its prompts,
and with the environment, whose tool shows it the canvas after each answer.
"""

from __future__ import annotations

import io
import json
import logging
import math
import os
import sys
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).resolve().parents[1]
sys.path[0] = str(HERE)
os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TRANSFORMERS_OFFLINE="1", CUDA_VISIBLE_DEVICES="",
                  TOKENIZERS_PARALLELISM="false")  # fmt: skip

import torch
from datasets import Dataset
from frameworks import episodes
from frameworks.episodes import BETTER, WORSE
from frameworks.vision import call, unsaid, vision
from frameworks.words import SPECIAL, tokenizer
from tests import daemon
from tests.readme import ROOT, blocks
from tests.daemon import foreign
from PIL import Image
from transformers import LlamaConfig, LlamaForCausalLM, PrinterCallback
from trl import GRPOConfig, GRPOTrainer

import plumb_client
from plumb_client.trl import reward_fn

def model(size: int) -> LlamaForCausalLM:
    """A model that knows nothing, always the same one."""
    torch.manual_seed(0)
    m = LlamaForCausalLM(
        LlamaConfig(vocab_size=size, hidden_size=16, intermediate_size=32, num_hidden_layers=1, num_attention_heads=2,
                    max_position_embeddings=64, pad_token_id=0, eos_token_id=1, bos_token_id=1)
    )  # fmt: skip
    m.generation_config.suppress_tokens = list(range(len(SPECIAL)))
    return m


class Watched(GRPOTrainer):
    """GRPOTrainer that keeps what its reward functions were given and gave."""

    watched: list[tuple[dict[str, Any], str, float]]

    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):  # type: ignore[no-untyped-def]
        rewards = super()._calculate_rewards(inputs, prompts, completions, completion_ids_list)
        texts = [c if isinstance(c, str) else c[-1]["content"] for c in completions]
        self.watched.extend(zip(inputs, texts, rewards[:, 0].tolist()))
        return rewards


def asked(url: str, task: dict[str, Any], text: str) -> float:
    """The daemon's reward by plain HTTP, NaN where it could not score."""
    body = json.dumps({**task, "response": text}).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(url + "/v1/score", body)) as r:
            reward = json.load(r)["reward"]
    except urllib.error.HTTPError as e:
        assert e.code == 422, e.read()
        return math.nan
    return math.nan if reward is None else float(torch.tensor(reward, dtype=torch.float32))


class Trl(unittest.TestCase):
    def train(self, rows: list[dict[str, Any]], answers: list[str], **kw: Any) -> Watched:
        words = tokenizer(answers)
        with tempfile.TemporaryDirectory() as out:
            args = GRPOConfig(
                output_dir=out, per_device_train_batch_size=16, num_generations=16, max_completion_length=1, max_steps=6,
                learning_rate=0.02, lr_scheduler_type="constant", beta=0.0, logging_steps=1, report_to="none", use_cpu=True,
                bf16=False, save_strategy="no", disable_tqdm=True, seed=1, gradient_checkpointing=False,
            )  # fmt: skip
            trainer = Watched(
                model=model(len(SPECIAL) + len(answers)), args=args, train_dataset=Dataset.from_list(rows),
                processing_class=words, reward_funcs=[reward_fn(url=daemon.shared().url, **kw)],
            )  # fmt: skip
            trainer.remove_callback(PrinterCallback)
            trainer.watched = []
            trainer.train()
        return trainer

    def check(self, label_of: Any, chat: bool) -> Watched:
        items = [i for i in daemon.items() if i["test"] in ("balance", "overlap", "line", "maze")]
        tasks = {t["id"]: t for t in map(daemon.task, items)}
        answers = sorted({i["response"] for i in items} | {foreign()[1]})
        prompt: Any = [{"role": "user", "content": "draw it"}] if chat else "draw it"
        rows = [{"prompt": prompt, "task_id": i, "label": label_of(t)} for i, t in tasks.items()]
        trainer = self.train(rows, answers)
        self.assertEqual(len(trainer.watched), 6 * 16)
        for row, text, got in trainer.watched:
            self.assertIn(text, answers)
            want = asked(daemon.shared().url, tasks[row["task_id"]], text)
            self.assertTrue(got == want or math.isnan(got) and math.isnan(want), (row["task_id"], got, want))
        rewards = [r for _, _, r in trainer.watched]
        self.assertGreater(len({r for r in rewards if not math.isnan(r)}), 4, rewards)
        return trainer

    def test_strings(self) -> None:
        trainer = self.check(daemon.label, chat=False)
        logs = [entry for entry in trainer.state.log_history if "rewards/plumb/mean" in entry]
        self.assertEqual(len(logs), 6)
        for n, entry in enumerate(logs):
            step = [r for _, _, r in trainer.watched[16 * n : 16 * n + 16]]
            heard = [r for r in step if not math.isnan(r)]
            self.assertAlmostEqual(entry["rewards/plumb/mean"], sum(heard) / len(heard), places=5)
            self.assertAlmostEqual(entry["plumb/failed"], 1 - len(heard) / 16, places=5)

    def test_readme(self) -> None:
        """The block of code of the README, with a model and arguments of ours."""
        star = json.dumps({"createShapes": [{"id": "shape:a", "type": "geo", "x": 280, "y": 430,
                           "props": {"geo": "star", "color": "red", "w": 90, "h": 90}}]}, separators=(",", ":"))  # fmt: skip
        answers = [star, '{"rotation":-0.16}', "no"]
        d = daemon.Daemon("--tasks", f"aspire={HERE / 'examples' / 'tasks.jsonl'}", tasks=False)
        self.addCleanup(d.stop)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(ROOT)
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict("os.environ", {"PLUMB_URL": d.url}), \
                mock.patch("trl.GRPOTrainer", Watched), mock.patch.object(Watched, "watched", [], create=True):  # fmt: skip
            model(len(SPECIAL) + len(answers)).save_pretrained(folder)
            tokenizer(answers).save_pretrained(folder)
            args = GRPOConfig(output_dir=folder, per_device_train_batch_size=8, num_generations=8, max_completion_length=1, max_steps=8,
                              logging_strategy="no", report_to="none", use_cpu=True, bf16=False, save_strategy="no", disable_tqdm=True,
                              gradient_checkpointing=False)  # fmt: skip
            exec(blocks("TRL", "python")[0], {"model": folder, "args": args})
            self.assertEqual(len(Watched.watched), 64)
            client = plumb_client.Client(d.url)
            for row, text, got in Watched.watched:
                want = client.reward(row["label"], text).reward
                self.assertEqual(got, float(torch.tensor(want, dtype=torch.float32)), row["label"])
            self.assertGreater(len({got for _, _, got in Watched.watched}), 2)

    def test_references_in_a_chat(self) -> None:
        self.check(daemon.reference, chat=True)

    def test_objects_through_arrow(self) -> None:
        """Objects of different shape come out of Arrow as one struct, filled with nulls."""
        self.check(lambda task: task, chat=True)

    def test_unscorable_is_left_out(self) -> None:
        label, answer = foreign()
        good = next(i["response"] for i in daemon.items() if i["test"] == "balance")
        trainer = self.train([{"prompt": "draw it", "task_id": "x", "label": label}] * 4, [answer, good])
        seen = {text == answer: math.isnan(r) for _, text, r in trainer.watched}
        self.assertEqual(seen, {True: True, False: False})

    def test_bad_label_ends_the_run(self) -> None:
        with self.assertRaisesRegex(ValueError, "sample 0.*nobody"):
            self.train([{"prompt": "draw it", "task_id": "x", "label": '{"suite":"aspire","id":"nobody"}'}] * 4, ["a", "b"])

    def test_unreachable_daemon_ends_the_run(self) -> None:
        with self.assertRaises(plumb_client.Unavailable):
            Watched(
                model=model(7), args=GRPOConfig(output_dir=tempfile.mkdtemp(), use_cpu=True, bf16=False, report_to="none",
                max_completion_length=1, num_generations=2, per_device_train_batch_size=2, max_steps=1, disable_tqdm=True),
                train_dataset=Dataset.from_list([{"prompt": "draw it", "task_id": "x", "label": "{}"}] * 4),
                processing_class=tokenizer(["a", "b"]), reward_funcs=[reward_fn(url="http://127.0.0.1:1", timeout=1.0)],
            ).train()  # fmt: skip


class Seeing(Watched):
    """GRPOTrainer that keeps the pictures that its model was given, too."""

    seen: list[set[bytes]]

    def _generate_single_turn(self, prompt_ids, images, *args, **kw):  # type: ignore[no-untyped-def]
        self.seen.append({p.tobytes() for several in images or [] for p in several or []})
        return super()._generate_single_turn(prompt_ids, images, *args, **kw)

    def _calculate_rewards(self, inputs, prompts, completions, completion_ids_list):  # type: ignore[no-untyped-def]
        rewards = GRPOTrainer._calculate_rewards(self, inputs, prompts, completions, completion_ids_list)
        self.watched.extend(zip(inputs, completions, rewards[:, 0].tolist()))
        return rewards


def pixels(pictures: Any) -> set[bytes]:
    """The pixels of PNG files."""
    return {Image.open(io.BytesIO(p.data)).tobytes() for p in pictures}


class Pictures(unittest.TestCase):
    """A model that sees pictures."""

    def setUp(self) -> None:
        self.url, self.client = episodes.plumb().url, plumb_client.Client(episodes.plumb().url)
        patch = mock.patch.dict("os.environ", {"PLUMB_URL": self.url, "TRL_EXPERIMENTAL_SILENCE": "1"})
        patch.start()
        self.addCleanup(patch.stop)

    def train(self, make: Any, rows: list[dict[str, Any]], answers: list[str], **more: Any) -> Seeing:
        """Trains for three steps; make makes the trainer. The weights must change."""
        model, processor = vision(answers)
        before = [p.detach().clone() for p in model.parameters()]
        with tempfile.TemporaryDirectory() as out:
            args = GRPOConfig(
                output_dir=out, per_device_train_batch_size=8, num_generations=8, max_steps=3, learning_rate=0.02, beta=0.0, report_to="none",
                use_cpu=True, bf16=False, save_strategy="no", logging_strategy="no", disable_tqdm=True, seed=1, gradient_checkpointing=False,
                generation_kwargs={"suppress_tokens": unsaid(processor, answers)}, **more,
            )  # fmt: skip
            with mock.patch.object(Seeing, "watched", [], create=True), mock.patch.object(Seeing, "seen", [], create=True):
                trainer = make(model=model, args=args, rows=Dataset.from_list(rows), processing_class=processor)
                trainer.remove_callback(PrinterCallback)
                trainer.train()
                trainer.watched, trainer.seen = Seeing.watched, Seeing.seen
        self.assertEqual(trainer.state.global_step, 3)
        self.assertEqual(len(trainer.watched), 24)
        self.assertTrue(any(not torch.equal(a, b) for a, b in zip(before, model.parameters())))
        return trainer

    def test_pictures_in_the_prompt(self) -> None:
        answers = [WORSE.replace(" ", ""), BETTER.replace(" ", ""), "no"]
        asked = {name: self.client.prompt(episodes.label(name)) for name in ("arrow-00", "maze-00")}
        rows = [{"prompt": [{"role": "user", "content": p.text}], "images": [Image.open(io.BytesIO(i.data)) for i in p.images],
                 "label": episodes.label(name)} for name, p in asked.items()]  # fmt: skip
        trainer = self.train(lambda rows, **kw: Seeing(train_dataset=rows, reward_funcs=[reward_fn()], **kw), rows, answers, max_completion_length=1)
        for row, (said,), got in trainer.watched:
            want = episodes.score(json.loads(row["label"])["id"], said["content"])
            self.assertEqual(got, float(torch.tensor(want)))
        self.assertGreater(len({got for _, _, got in trainer.watched}), 1)
        self.assertEqual(set().union(*trainer.seen), set().union(*(pixels(p.images) for p in asked.values())))

    def test_environment_of_the_readme(self) -> None:
        """The tool shows the canvas after each answer; the reward is that of the last."""
        code, scope = blocks("TRL, several turns", "python")[0], {}  # type: ignore[var-annotated]
        self.assertIn("environment(turns=3", code)

        def make(rows: Any, **kw: Any) -> Any:
            with mock.patch.dict(scope, {"GRPOTrainer": lambda **given: Seeing(**given, processing_class=kw["processing_class"]),
                                         "plumb_client": plumb_client, "rows": rows, **kw}):  # fmt: skip
                exec(code, scope)
                return scope["trainer"]

        rows = [{"prompt": [{"role": "user", "content": ""}], "label": episodes.label("arrow-00")}] * 8
        trainer = self.train(make, rows, [call(WORSE), call(BETTER), "no"], max_completion_length=2048, max_tool_calling_iterations=3)
        for _, said, got in trainer.watched:
            told = sum(m["role"] == "tool" for m in said)
            given = [c["function"]["arguments"]["answer"] for m in said for c in m.get("tool_calls") or []][:told]
            rewards = [0.0]
            for text in given[:3]:
                if rewards[-1] < 0.9:  # where an episode of ASPIRE is done
                    rewards.append(episodes.score("arrow-00", text))
            self.assertEqual(got, float(torch.tensor(rewards[-1])), given)
        self.assertGreater(len({got for _, _, got in trainer.watched}), 1)
        episode = plumb_client.Episode(episodes.label("arrow-00"), client=self.client, turns=3)
        first = pixels(episode.reset().prompt.images)
        shown = pixels(episode.step(WORSE).prompt.images)
        self.assertNotEqual(first, shown)
        self.assertEqual(trainer.seen[0], first)
        self.assertEqual(set().union(*trainer.seen), first | shown)


if __name__ == "__main__":
    logging.getLogger("trl").setLevel(logging.ERROR)  # it warns of every sample without a reward
    unittest.main(verbosity=2, warnings="ignore")
