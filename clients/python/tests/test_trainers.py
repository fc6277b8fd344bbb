"""Entry points for trainers: their signatures, what they return, and their policy
for samples that could not be scored, against the real daemon."""

import asyncio
import importlib.util
import inspect
import json
import pickle
import types
import unittest
from typing import Any
from unittest import mock

import numpy as np

import plumb_client
from plumb_client import adapter, nemo_rl, open_instruct, openrlhf, roll, skyrl, slime, trl, verifiers, verl
from plumb_client import BadLabel, Unscorable
from tests import daemon, trainers
from tests.test_daemon import as_arrow_gives_it, foreign

BAD = '{"suite":"aspire","id":"nobody"}'


class Trainers(unittest.TestCase):
    def setUp(self) -> None:
        self.url = daemon.shared().url
        patch = mock.patch.dict("os.environ", {"PLUMB_URL": self.url})
        patch.start()
        self.addCleanup(patch.stop)
        self.items = daemon.items()[:24]
        self.labels = [daemon.label(i) for i in self.items]
        self.answers = [i["response"] for i in self.items]
        expected = daemon.expected()[:24]
        self.rewards = [e["reward"] for e in expected]
        self.scores = [e["score"] for e in expected]
        self.foreign = foreign()

    def parameters(self, f: Any) -> str:
        """The signature without annotations."""
        return ", ".join(
            str(p.replace(annotation=inspect.Parameter.empty)) if p.kind != p.KEYWORD_ONLY else f"*{p.name}={p.default}"
            for p in inspect.signature(f).parameters.values()
        )

    def expect_bad_label(self, position: int, f: Any, *args: Any, **kw: Any) -> None:
        with self.assertRaises(ValueError) as caught:
            r = f(*args, **kw)
            if inspect.isawaitable(r):
                asyncio.run(_wait(r))
        assert isinstance(caught.exception, BadLabel)
        self.assertEqual(caught.exception.position, position)
        self.assertIn("nobody", str(caught.exception))

    # TRL

    def trl(self, completions: Any, fn: Any = None, **more: Any) -> list[float | None]:
        n = len(completions)
        given: dict[str, Any] = dict(prompts=["p"] * n, completions=completions, completion_ids=[[1]] * n, label=self.labels)
        return asyncio.run((fn or trl.reward_fn())(**{**given, **more}))

    def test_trl_signature(self) -> None:
        fn = trl.reward_fn()
        self.assertTrue(inspect.iscoroutinefunction(fn))
        self.assertEqual(
            self.parameters(fn),
            "prompts, completions, completion_ids, *trainer_state=None, *log_extra=None, *log_metric=None, "
            "*environments=None, **columns",
        )
        self.assertEqual((fn.__name__, trl.reward_fn(name="x").__name__), ("plumb", "x"))

    def test_trl(self) -> None:
        blocks = [{"type": "image"}, {"type": "text", "text": ""}]
        for name, completions in [
            ("standard", self.answers),
            ("conversational", [[{"role": "assistant", "content": a}] for a in self.answers]),
            ("tools", [[{"role": "assistant", "content": "let me see"}, {"role": "tool", "content": "x"},
                        {"role": "assistant", "content": a}] for a in self.answers]),
            ("blocks", [[{"role": "assistant", "content": blocks + [{"type": "text", "text": a}]}] for a in self.answers]),
            ("two blocks", [[{"role": "assistant", "content": [{"type": "text", "text": a[:9]}, {"type": "text", "text": a[9:]}]}]
                            for a in self.answers]),
        ]:  # fmt: skip
            with self.subTest(name):
                self.assertEqual(self.trl(completions), self.rewards)

    def test_trl_columns(self) -> None:
        objects = [as_arrow_gives_it(daemon.task(i)) for i in self.items]
        self.assertEqual(self.trl(self.answers, label=objects), self.rewards)
        self.assertEqual(self.trl(self.answers, label=np.array(self.labels, dtype=object)), self.rewards)
        self.assertEqual(self.trl(self.answers, trl.reward_fn(column="other"), label=None, other=self.labels), self.rewards)
        with self.assertRaisesRegex(ValueError, r"no column 'other'; got \['label'\]"):
            self.trl(self.answers, trl.reward_fn("other"))
        with self.assertRaisesRegex(ValueError, "24 labels and 3 completions"):
            self.trl(["x"] * 3)
        self.assertEqual(asyncio.run(trl.reward_fn()(prompts=[], completions=[], completion_ids=[], label=[])), [])

    def test_trl_unscorable_is_none(self) -> None:
        label, answer = self.foreign
        told: dict[str, Any] = {}
        got = self.trl(
            [answer, self.answers[0], ""], label=[label, self.labels[0], self.labels[0]],
            log_metric=told.__setitem__, log_extra=told.__setitem__, trainer_state=object(), environments=None,
        )  # fmt: skip
        self.assertEqual(got, [None, self.rewards[0], 0.0])
        self.assertAlmostEqual(told["plumb/failed"], 1 / 3)
        self.assertEqual(len(told["plumb_status"]), 3)

    def test_trl_bad_label(self) -> None:
        self.expect_bad_label(2, trl.reward_fn(), prompts=[], completions=["x"] * 4, completion_ids=[],
                              label=[*self.labels[:2], BAD, BAD])  # fmt: skip

    def test_trl_unreachable_daemon_stops_the_run(self) -> None:
        with self.assertRaises(plumb_client.Unavailable):
            self.trl(self.answers, trl.reward_fn(url="http://127.0.0.1:1", timeout=0.3))

    # verl

    def test_verl(self) -> None:
        self.assertEqual(self.parameters(verl.compute_score), "data_source, solution_str, ground_truth, extra_info=None, **reward_kwargs")
        self.assertEqual(self.parameters(verl.compute_score_batch), "data_sources, solution_strs, ground_truths, extra_infos, **reward_kwargs")
        self.assertEqual(
            [inspect.iscoroutinefunction(f) for f in (verl.compute_score, verl.compute_score_sync, verl.compute_score_batch)],
            [True, False, False],
        )

        def named(i: int) -> dict[str, Any]:
            return dict(data_source="any", solution_str=self.answers[i], ground_truth=self.labels[i], extra_info={"num_turns": 2})

        async def all_at_once() -> list[Any]:
            return await asyncio.gather(*(verl.compute_score(**named(i)) for i in range(24)))

        want = [{"score": r, "raw": s, "failed": 0.0} for r, s in zip(self.rewards, self.scores)]
        self.assertEqual(asyncio.run(all_at_once()), want)
        self.assertEqual([verl.compute_score_sync(**named(i)) for i in range(24)], want)
        self.assertEqual(
            verl.compute_score_batch(data_sources=["any"] * 24, solution_strs=self.answers, extra_infos=[None] * 24,
                                     ground_truths=np.array(self.labels, dtype=object), url=self.url, unknown=1),
            want,
        )  # fmt: skip
        self.assertEqual({type(v) for w in verl.compute_score_sync(**named(0)).items() for v in w[1:]}, {float})

    def test_verl_failed_and_bad(self) -> None:
        label, answer = self.foreign
        want = {"score": 0.0, "raw": 0.0, "failed": 1.0}
        self.assertEqual(asyncio.run(verl.compute_score("d", answer, label)), want)
        self.assertEqual(verl.compute_score_sync("d", answer, label), want)
        self.assertEqual(verl.compute_score_batch(["d"], [answer], [label], [None]), [want])
        self.expect_bad_label(0, verl.compute_score, "d", "x", BAD)
        self.expect_bad_label(0, verl.compute_score_sync, "d", "x", BAD)
        self.expect_bad_label(1, verl.compute_score_batch, ["d"] * 2, ["x"] * 2, [self.labels[0], BAD], [None] * 2)

    def test_verl_options(self) -> None:
        with self.assertRaisesRegex(ValueError, "PLUMB_NO_SUCH"):
            verl.compute_score_sync("d", "x", self.labels[0], token_env="PLUMB_NO_SUCH")
        with self.assertRaises(plumb_client.Unavailable):
            verl.compute_score_sync("d", "x", self.labels[0], url="http://127.0.0.1:1", timeout=0.2)

    def test_loaded_as_a_file(self) -> None:
        """verl and OpenRLHF load a file by its path, outside its package."""
        for module, name in ((verl, "compute_score_sync"), (openrlhf, "reward_func")):
            spec = importlib.util.spec_from_file_location("custom_module", module.__file__ or "")
            assert spec and spec.loader
            loaded = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(loaded)
            f = getattr(loaded, name)
            if name == "reward_func":
                self.assertEqual(f(["p" + self.answers[0]], ["p"], [self.labels[0]])["rewards"], self.rewards[:1])
            else:
                self.assertEqual(f("d", self.answers[0], self.labels[0])["score"], self.rewards[0])

    # OpenRLHF and slime

    def test_openrlhf(self) -> None:
        self.assertEqual(self.parameters(openrlhf.reward_func), "queries, prompts, labels, **kwargs")
        self.assertFalse(inspect.iscoroutinefunction(openrlhf.reward_func))
        label, answer = self.foreign
        queries = [f"<|user|>draw<|assistant|>{a}<|im_end|>" for a in [*self.answers, answer]]
        labels = [*self.labels[:-1], daemon.task(self.items[-1]), label]
        got = openrlhf.reward_func(queries, ["<|user|>draw<|assistant|>"] * 25, labels)
        self.assertEqual(got["rewards"], [*self.rewards, 0.0])
        self.assertEqual(got["scores"], [*self.rewards, 0.0])
        self.assertEqual(got["extra_logs"]["failed"], [0.0] * 24 + [1.0])
        self.assertEqual(openrlhf.reward_func([], [], [])["rewards"], [])
        self.expect_bad_label(1, openrlhf.reward_func, queries[:2], ["p"] * 2, [self.labels[0], BAD])
        with self.assertRaisesRegex(BadLabel, "sample 1"):
            openrlhf.reward_func(queries[:2], ["p"] * 2, [self.labels[0], None])

    def test_slime(self) -> None:
        args, keyed = types.SimpleNamespace(reward_key=None), types.SimpleNamespace(reward_key="reward")

        def sample(label: Any, response: str) -> Any:
            return types.SimpleNamespace(prompt=[{"role": "user", "content": "draw"}], response=response, label=label)

        samples = [sample(lab, a + "<|im_end|>") for lab, a in zip(self.labels, self.answers)]
        self.assertEqual(asyncio.run(slime.custom_rm(args, samples, evaluation=True)), self.rewards)
        got = asyncio.run(slime.custom_rm(args, samples[0]))
        self.assertEqual((got, type(got)), (self.rewards[0], float))
        self.assertEqual(
            asyncio.run(slime.custom_rm(keyed, samples[:2])),
            [{"reward": r, "score": s, "failed": 0.0} for r, s in zip(self.rewards[:2], self.scores)],
        )
        failed = sample(*self.foreign)
        self.assertEqual(asyncio.run(slime.custom_rm(args, failed)), 0.0)
        self.assertEqual(asyncio.run(slime.custom_rm(keyed, failed)), {"reward": 0.0, "score": 0.0, "failed": 1.0})
        self.expect_bad_label(1, slime.custom_rm, args, [samples[0], sample(BAD, "x")])
        self.assertEqual(self.parameters(slime.custom_rm), "args, sample, **kw")

    # verifiers: what the framework does with these is tested by `make test-envs`

    def test_verifiers_rubric(self) -> None:
        self.assertEqual(self.parameters(verifiers.rubric_reward), "prompt, completion, answer, state, info, task, **kw")
        self.assertEqual(self.parameters(verifiers.rubric_rewards), "prompts, completions, answers, states, infos, tasks, **kw")
        chats = [[{"role": "assistant", "content": a}] for a in self.answers]
        one: dict[str, Any] = dict(prompt="p", completion=chats[0], answer=self.labels[0], state={}, info={}, task="t", parser=object())
        many: dict[str, Any] = dict(prompts=["p"] * 24, completions=chats, answers=self.labels, states=[{} for _ in chats], infos=[], tasks=[])
        label, answer = self.foreign
        for f in (verifiers.rubric_reward, verifiers.rubric_reward_sync):
            state: dict[str, Any] = {}
            self.assertEqual(called(f, **{**one, "state": state}), self.rewards[0])
            self.assertEqual(verifiers.plumb_failed(state), 0.0)
            with self.assertRaises(Unscorable) as caught:
                called(f, **{**one, "completion": answer, "answer": label, "state": state})
            self.assertEqual((caught.exception.code, verifiers.plumb_failed(state)), ("not_native", 1.0))
            self.expect_bad_label(0, f, **{**one, "answer": BAD, "state": state})
            self.assertEqual(verifiers.plumb_failed(state), 1.0)
        for f in (verifiers.rubric_rewards, verifiers.rubric_rewards_sync):
            states: list[dict[str, Any]] = [{} for _ in chats]
            failing = {**many, "completions": [answer, *chats[1:]], "answers": [label, *self.labels[1:]], "states": states}
            self.assertEqual(called(f, **failing), [0.0, *self.rewards[1:]])
            self.assertEqual([verifiers.plumb_failed(s) for s in states], [1.0] + [0.0] * 23)
            self.assertEqual(called(f, **many), self.rewards)
            self.expect_bad_label(3, f, **{**many, "answers": [*self.labels[:3], BAD, *self.labels[4:]], "states": states})
            self.assertEqual([verifiers.plumb_failed(s) for s in states], [1.0] * 24)

    def test_verifiers_label(self) -> None:
        """The label is found in a task and in its data; a field `data` of the data is none."""
        trace = types.SimpleNamespace(last_reply=self.answers[0])
        for data in ({"label": self.labels[0]}, {"answer": self.labels[0]}, types.SimpleNamespace(label=self.labels[0], data="x")):
            for task in (data, types.SimpleNamespace(data=data)):
                self.assertEqual(asyncio.run(verifiers.reward(task=task, trace=trace)), self.rewards[0])
        with self.assertRaisesRegex(ValueError, "label or answer"):
            asyncio.run(verifiers.reward(types.SimpleNamespace(data={}), trace))
        with self.assertRaises(Unscorable):
            asyncio.run(verifiers.reward({"label": self.labels[0]}, types.SimpleNamespace(last_reply=None)))

    def test_verifiers_without_tasks(self) -> None:
        """No verifiers at all, and one that is too old for tasks."""
        for modules in ({}, {"verifiers__v1": {"Task": dict}}):
            with trainers.installed("plumb_client.verifiers", "PlumbTask", **modules):
                with self.assertRaisesRegex(ImportError, "verifiers 0.2.1 or later"):
                    verifiers.PlumbTask

    # SkyRL, NeMo-RL, open-instruct, ROLL

    def test_skyrl(self) -> None:
        """Without its package; `make test-envs` is with it."""
        made = skyrl.PlumbEnv
        self.assertEqual(self.parameters(made.__init__), "self, env_config, extras")
        for label in (self.labels[0], as_arrow_gives_it(daemon.task(self.items[0]))):
            got = made({"url": self.url}, {"reward_spec": {"ground_truth": label, "method": "rule"}}).step(self.answers[0])
            self.assertEqual((got["observations"], got["reward"], got["done"]), ([], self.rewards[0], True))
            self.assertEqual(got["metadata"]["failed"], 0.0)
        label, answer = self.foreign
        got = made(None, {"reward_spec": {"ground_truth": label}}).step(answer)
        self.assertEqual((got["reward"], got["metadata"]["failed"]), (0.0, 1.0))
        self.expect_bad_label(0, made({}, {"reward_spec": {"ground_truth": BAD}}).step, "x")
        with self.assertRaisesRegex(ValueError, "ground_truth"):
            made({}, {"reward_spec": None})

    def test_nemo_rl(self) -> None:
        logs = [[{"role": "user", "content": "draw", "token_ids": [1]}, {"role": "assistant", "content": a}] for a in self.answers]
        label, answer = self.foreign
        logs.append([{"role": "assistant", "content": answer}])
        metadata = [{"label": lab, "other": 1} for lab in [*self.labels, label]]

        def check(made: Any) -> Any:
            self.assertEqual(self.parameters(made.step), "self, message_log_batch, metadata")
            env = made({"url": self.url, "num_workers": 8})
            got = env.step(logs, metadata)
            self.assertEqual(got._fields, ("observations", "metadata", "next_stop_strings", "rewards", "terminateds", "answers"))
            values = got.rewards.tolist() if hasattr(got.rewards, "tolist") else got.rewards
            self.assertEqual(values, [*self.rewards, 0.0])
            self.assertEqual({o["role"] for o in got.observations}, {"environment"})
            self.assertIn("not_native", got.observations[-1]["content"])
            self.assertEqual((got.metadata, got.next_stop_strings, len(got.terminateds)), (metadata, [None] * 25, 25))
            batch = {"rewards": [0.5, 1.0]}
            self.assertEqual(env.global_post_process_and_metrics(batch), (batch, {"plumb/failed": 1 / 25, "plumb/reward": 0.75}))
            self.expect_bad_label(1, env.step, logs[:2], [metadata[0], {"label": BAD}])
            with self.assertRaisesRegex(ValueError, "sample 1"):
                env.step(logs[:2], [metadata[0], {}])
            return got

        check(nemo_rl.PlumbEnvironment)
        interfaces = {"EnvironmentInterface": trainers.EnvironmentInterface, "EnvironmentReturn": trainers.EnvironmentReturn}
        ray = {"remote": lambda c: ("remote", c)}
        with trainers.installed("plumb_client.nemo_rl", "PlumbEnvironment", nemo_rl__environments__interfaces=interfaces, torch=trainers.TORCH, ray=ray):
            self.assertIsInstance(check(nemo_rl.PlumbEnvironment), trainers.EnvironmentReturn)
            self.assertTrue(issubclass(nemo_rl.PlumbEnvironment, trainers.EnvironmentInterface))
            self.assertEqual(nemo_rl.PlumbEnvironmentActor, ("remote", nemo_rl.PlumbEnvironment))
            del nemo_rl.PlumbEnvironmentActor

    def test_open_instruct(self) -> None:
        utils = {"VerifierFunction": trainers.VerifierFunction, "VerificationResult": trainers.VerificationResult}
        plain = open_instruct.PlumbVerifier
        with trainers.installed("plumb_client.open_instruct", "PlumbVerifier", open_instruct__ground_truth_utils=utils):
            based = open_instruct.PlumbVerifier
            self.assertIn(based, trainers.VerifierFunction.__subclasses__())
        for made in (plain, based):
            self.assertEqual(
                self.parameters(made.async_call), "self, tokenized_prediction, prediction, label, query=None, rollout_state=None"
            )
            v = made(None)
            self.assertEqual((v.name, v.weight), ("plumb", 1.0))
            for i in range(4):
                r = asyncio.run(v.async_call([1], self.answers[i], self.labels[i], query="q", rollout_state={}))
                self.assertEqual((r.score, r.cost, r.reasoning), (self.rewards[i], 0.0, None))
                self.assertEqual(v([1], self.answers[i], self.labels[i]).score, self.rewards[i])
            r = asyncio.run(v.async_call([], self.foreign[1], self.foreign[0]))
            self.assertEqual(r.score, 0.0)
            self.assertIn("cannot score", r.reasoning)
            self.expect_bad_label(0, v.async_call, [], "x", BAD)

    def test_roll(self) -> None:
        modules = trainers.roll_modules(self.tokenizer())
        with trainers.installed("plumb_client.roll", "PlumbRewardWorker", **modules):
            made = roll.PlumbRewardWorker
            self.assertIs(pickle.loads(pickle.dumps(made)), made)
            worker = made(worker_config=types.SimpleNamespace(model_args=None))
            self.assertEqual((worker.rank_info.dp_rank, worker.rank_info.dp_size), (3, 8))
            self.assertEqual((made.initialize.how, made.compute_rewards.how), ({"dispatch_mode": 1}, {"dispatch_mode": 2, "clear_cache": False}))
            responses = trainers.Tensor(np.arange(25 * 4).reshape(25, 4))
            labels = np.array([*self.labels, self.foreign[0]], dtype=object)
            out = worker.compute_rewards(trainers.DataProto({"responses": responses}, {"label": labels})).batch
            want = np.array([*self.rewards, 0.0], dtype=np.float16).tolist()
            self.assertEqual((out["response_level_rewards"].tolist(), out["scores"].tolist()), (want, want))
            self.assertEqual((out["token_level_rewards"].values.shape, out["scores"].dtype), ((25, 4), np.float16))
            labels[3] = BAD
            self.expect_bad_label(3, worker.compute_rewards, trainers.DataProto({"responses": responses}, {"label": labels}))
            with self.assertRaisesRegex(ValueError, "no column 'label'"):
                worker.compute_rewards(trainers.DataProto({"responses": responses}, {"prompt": []}))

    def tokenizer(self) -> Any:
        texts = [*self.answers, self.foreign[1]]

        def batch_decode(responses: Any, skip_special_tokens: bool) -> list[str]:
            self.assertTrue(skip_special_tokens)
            return texts[: len(responses)]

        return types.SimpleNamespace(batch_decode=batch_decode)


class Texts(unittest.TestCase):
    def test_answer_text(self) -> None:
        message = types.SimpleNamespace
        for given, want in [
            ("a", "a"), (None, ""), ([], ""), ([{"role": "assistant"}], ""), ([{"role": "assistant", "content": None}], ""),
            ([{"role": "assistant", "content": []}], ""), ({"role": "assistant", "content": "b"}, "b"),
            ([{"role": "user", "content": "u"}, {"role": "assistant", "content": ["x", {"text": "y"}]}], "xy"),
            ([{"role": "assistant", "content": "a"}, {"role": "tool", "content": "t"}], "a"),
            ([{"type": "text", "text": "x"}, {"type": "image_url"}, {"type": "output_text", "text": "y"}], "xy"),
            ({"choices": [{"message": {"role": "assistant", "content": "c"}}]}, "c"),
            ([message(role="user", content="u"), message(role="assistant", content=[message(type="text", text="o")])], "o"),
            (message(role="assistant", content=None, reasoning_content="r"), ""),
        ]:  # fmt: skip
            self.assertEqual(adapter.answer_text(given), want, given)
        wrong: list[Any] = [3, [1], ["a", "b"], {}, [{}], {"createShapes": []}, [{"type": "geo"}], [{"role": "assistant", "content": 3}]]
        for given in wrong:
            with self.assertRaises(TypeError, msg=given):
                adapter.answer_text(given)


def called(f: Any, **kw: Any) -> Any:
    """What a plain function or a coroutine function gives."""
    r = f(**kw)
    return asyncio.run(_wait(r)) if inspect.isawaitable(r) else r


async def _wait(r: Any) -> Any:
    return await r


if __name__ == "__main__":
    unittest.main()
