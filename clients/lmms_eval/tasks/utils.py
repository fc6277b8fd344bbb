"""What the tasks of lmms-eval call: pictures, prompts and scores of a row.

In: rows of `plumb prompt --rows`. Out: plumb_score, the benchmark's own number, None
where the sample could not be scored, and plumb_failed. The daemon is PLUMB_URL, else
one that is started. A label that cannot be used raises BadLabel.
"""

from __future__ import annotations

import base64
import io
from typing import Any

from plumb_client import Client, rows, versions

versions.check("lmms-eval")


def doc_to_visual(doc: dict[str, Any]) -> list[Any]:
    """The pictures of a row."""
    from PIL import Image

    found = [doc["png"], *(doc.get("more") or [])] if doc.get("png") else []
    return [Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB") for png in found]


def doc_to_text(doc: dict[str, Any], lmms_eval_specific_kwargs: Any = None) -> str:
    """What the model is asked."""
    return str(doc["prompt"])


def process_results(doc: dict[str, Any], results: list[str]) -> dict[str, float | None]:
    """Scores an answer."""
    result = Client(rows.find()[0]).reward(doc["label"], results[0] if results else "")
    return {"plumb_score": result.score, "plumb_failed": float(result.failed)}


def mean_known(values: list[float | None]) -> float:
    """The mean of what could be scored. Raises ValueError where that is nothing."""
    known = [v for v in values if v is not None]
    if not known:
        raise ValueError(f"cannot average plumb_score: none of {len(values)} samples could be scored")
    return sum(known) / len(known)


def mean(values: list[float]) -> float:
    """The mean."""
    return sum(values) / len(values)
