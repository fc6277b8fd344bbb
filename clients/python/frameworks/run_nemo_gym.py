"""The resources server inside the real NeMo Gym, with the real daemon.

In: the environment of `scripts/python.sh nemo_gym` with the wheels of plumb-client
and plumb-bin. Checked: the commands of the README on a model endpoint of this machine, with rewards
that are the daemon's and are found again by reverify; the server's own tests; its
sessions keep to Gym's contract; a masked row is left out of Gym's own means. Ray, which
Gym starts, gives up where its agents need more than 15 s to start: not on a busy machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
SERVER = HERE.parent / "nemo_gym" / "resources_servers" / "plumb"
sys.path[0] = str(HERE)
sys.path[1:1] = [str(SERVER), str(SERVER / "tests")]
os.environ.pop("PLUMB_URL", None)

import plumb_client
import test_app
from fastapi.testclient import TestClient
from frameworks.stub import Endpoint
from nemo_gym.base_resources_server import BaseVerifyResponse, ResourcesSeedSessionRequest
from nemo_gym.reward_profile import compute_aggregate_metrics
from nemo_gym.testing.session_conformance import check_resources_session_contract
from omegaconf import OmegaConf
from plumb_client import rows
from task_data import TaskData
from tests.readme import blocks

ANSWERS = ['{"rotation": -0.16}', "no idea", '{"createShapes": []}']


class NemoGym(unittest.TestCase):
    def test_the_servers_own_tests(self) -> None:
        for name in ("test_verify", "test_failures"):
            getattr(test_app, name)()

    def test_sessions(self) -> None:
        seed = ResourcesSeedSessionRequest(resources_session_id="s", episode_id={"rollout_id": "e"}, task_data={"label": "{}"},
                                           task_id={"taskset": "plumb", "task_id": "t"})  # fmt: skip
        check_resources_session_contract(test_app.app(), seed, keeps_state=False)

    def test_rewards(self) -> None:
        server, client = TestClient(test_app.app()), plumb_client.Client(rows.find()[0])
        for row in test_app.ROWS:
            self.assertEqual(TaskData.model_validate(row).label, row["label"])
            for answer in ANSWERS:
                got = server.post("/verify", json=test_app.request(row, answer)).json()
                BaseVerifyResponse.model_validate(got)
                self.assertEqual(got["reward"], client.reward(row["label"], answer).reward)
        self.assertEqual(server.get("/reverify_mode").json(), "stateless")

    def test_commands(self) -> None:
        """env start, eval run and eval reverify, in a folder of their own."""
        folder = Path(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, folder, True)
        shutil.copytree(SERVER.parents[1], folder / "clients" / "nemo_gym")
        for server in ("resources_servers/plumb", "responses_api_agents/simple_agent", "responses_api_models/openai_model", "environment_servers/legacy_agent"):
            (folder / server).mkdir(parents=True)  # where Gym makes the environments of its servers
            (folder / server / ".venv").symlink_to(sys.prefix)
        model = Endpoint(lambda messages: ANSWERS[0])
        env = {**os.environ, "MODEL": "stub", "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none", "RAY_OVERRIDE_NODE_IP_ADDRESS": "127.0.0.1",
               "RAY_USAGE_STATS_ENABLED": "0", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}  # fmt: skip
        start, (run, reverify) = blocks("NeMo Gym", "sh")[0].strip(), blocks("NeMo Gym", "sh")[1].strip().split("\ngym ")
        log = (folder / "log").open("w")
        servers = subprocess.Popen(["bash", "-c", f"exec {start} +skip_venv_if_present=true"], cwd=folder, env=env, stdout=log, stderr=log, start_new_session=True)
        try:
            self.command(run, folder, env, servers)
        finally:
            with contextlib.suppress(ProcessLookupError):  # they have ended
                os.killpg(servers.pid, signal.SIGINT)
            try:
                servers.wait(30)
            except subprocess.TimeoutExpired:
                os.killpg(servers.pid, signal.SIGKILL)
                servers.wait()
        first = self.rewards(folder / "rollouts.jsonl")
        client = plumb_client.Client(rows.find()[0])
        self.assertEqual(first, {row["label"]: client.reward(row["label"], ANSWERS[0]).reward for row in test_app.ROWS})
        self.command(f"gym {reverify} +skip_venv_if_present=true", folder, env)
        self.assertEqual(self.rewards(folder / "again.jsonl"), first)

    def command(self, line: str, folder: Path, env: dict[str, str], servers: subprocess.Popen[bytes] | None = None) -> None:
        """Runs a command of shell; tries again while Gym's servers start."""
        for _ in range(300):
            done = subprocess.run(["bash", "-c", line], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=900)
            if servers is None or servers.poll() is not None or "Could not connect to the head server" not in done.stdout:
                break
            time.sleep(1)
        self.assertEqual(done.returncode, 0, done.stdout[-3000:] + (folder / "log").read_text()[-3000:])

    def rewards(self, path: Path) -> dict[str, float]:
        """The rewards of a file of rollouts by label."""
        return {d["label"]: d["reward"] for d in map(json.loads, path.read_text().splitlines())}

    def test_masked_rows_are_in_no_mean(self) -> None:
        row = {"responses_create_params": {"input": "x"}, "_ng_task_index": 0, "response": {}}
        lines = [{**row, "reward": 1.0, "mask_sample": False, "_ng_rollout_index": 0},
                 {**row, "reward": 0.0, "mask_sample": True, "failure_kind": "plumb:deadline", "_ng_rollout_index": 1}]  # fmt: skip
        got = compute_aggregate_metrics(lines).agent_metrics
        self.assertEqual(got["mean/reward"], 1.0, got)

    def test_configurations(self) -> None:
        whole, alone = (OmegaConf.load(SERVER / "configs" / f"{n}.yaml") for n in ("plumb", "verify"))
        self.assertEqual(list(alone), ["plumb"])
        self.assertEqual(alone.plumb, whole.plumb)
        self.assertEqual(whole.plumb_environment_server.environment_servers.legacy_agent.agent_server.name, "plumb_simple_agent")

    def test_lost_daemon(self) -> None:
        """An unreachable daemon is a status that Gym tries again, and no reward."""
        async def ask() -> int:
            from unittest import mock

            with mock.patch("plumb_client.AsyncClient.reward", side_effect=plumb_client.Unavailable("gone")):
                return TestClient(test_app.app()).post("/verify", json=test_app.request(test_app.ROWS[0], "x")).status_code

        self.assertEqual(asyncio.run(ask()), 503)


if __name__ == "__main__":
    unittest.main(verbosity=2, warnings="ignore")
