"""The server's routes, with a daemon of its own."""

import json
from pathlib import Path
from unittest.mock import MagicMock

from app import PlumbConfig, PlumbResourcesServer
from fastapi.testclient import TestClient
from nemo_gym.server_utils import ServerClient

ROWS = [json.loads(line) for line in (Path(__file__).parents[1] / "data" / "example.jsonl").read_text().splitlines()]


def app(**config):
    """The web server."""
    settings = PlumbConfig(host="127.0.0.1", port=0, entrypoint="app.py", name="plumb", **config)
    return PlumbResourcesServer(config=settings, server_client=MagicMock(spec=ServerClient)).setup_webserver()


def request(row, text):
    """A verify request."""
    part = {"type": "output_text", "text": text, "annotations": []}
    message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    response = {"id": "r", "object": "response", "created_at": 0, "model": "m", "output": [message],
                "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}  # fmt: skip
    return {**row, "response": response}


def test_verify():
    """A bad answer is 0.0 and counts."""
    client = TestClient(app())
    for row in ROWS:
        got = client.post("/verify", json=request(row, "no idea")).json()
        assert (got["reward"], got["mask_sample"], got["failed"]) == (0.0, False, 0.0), got
    arrow = next(r for r in ROWS if json.loads(r["label"])["test"] == "arrow")
    got = client.post("/verify", json=request(arrow, '{"rotation": -0.16}')).json()
    assert got["reward"] > 0.9 and got["reward"] == got["score"] == got["plumb_result"]["score"]


def test_failures():
    """What could not be scored is masked; what cannot be used or reached is a status."""
    client = TestClient(app())
    needs_judge = {**ROWS[0], "label": '{"suite": "spaceeval", "id": "se-own-13"}'}
    got = client.post("/verify", json=request(needs_judge, "the large one")).json()
    assert (got["mask_sample"], got["failure_kind"]) == (True, "plumb:unjudged"), got
    bad = client.post("/verify", json=request({**ROWS[0], "label": '{"suite": "aspire", "id": "nobody"}'}, "x"))
    assert bad.status_code == 422 and "nobody" in bad.text
