"""A model endpoint on this machine: chat completions, streamed or not, and responses.

In: a function from the messages of a request to the answer's text. Out: its address,
and the bodies of all requests.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[list[dict[str, Any]]], str]


def text_of(message: dict[str, Any]) -> str:
    """The text of a message as it was sent."""
    said = message["content"]
    return said if isinstance(said, str) else "".join(p.get("text", "") for p in said)


class Endpoint:
    """An endpoint; url ends with /v1. It ends with the process."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.asked = answer, []  # type: ignore[var-annotated]
        handler = type("Handler", (_Handler,), {"endpoint": self})
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    endpoint: Endpoint

    def log_message(self, *args: Any) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        """Answers."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.endpoint.asked.append(asked)
        common = {"id": "x", "created": 1, "model": asked["model"]}
        if "input" in asked:
            return self.respond(asked)
        text = self.endpoint.answer(asked["messages"])
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        if not asked.get("stream"):
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            return self.reply("application/json", json.dumps({**common, "object": "chat.completion", "choices": [choice], "usage": usage}))
        chunks: list[Any] = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}]},
                             {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}, {"choices": [], "usage": usage}]  # fmt: skip
        lines = [json.dumps({**common, "object": "chat.completion.chunk", **c}) for c in chunks]
        self.reply("text/event-stream", "".join(f"data: {line}\n\n" for line in [*lines, "[DONE]"]))

    def respond(self, asked: dict[str, Any]) -> None:
        """A response of the Responses API."""
        said = asked["input"] if isinstance(asked["input"], list) else [{"role": "user", "content": asked["input"]}]
        part = {"type": "output_text", "text": self.endpoint.answer(said), "annotations": []}
        message = {"id": "m", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
        usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2, "input_tokens_details": {"cached_tokens": 0},
                 "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
        body = {"id": "r", "object": "response", "created_at": 1, "model": asked["model"], "status": "completed", "output": [message],
                "usage": usage, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}  # fmt: skip
        self.reply("application/json", json.dumps(body))

    def reply(self, kind: str, body: str) -> None:
        """Sends one body."""
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())
