"""A launcher of VLMEvalKit's run.py that adds plumb's datasets.

    plumb prompt --rows -o rows/aspire.jsonl tasks.jsonl
    PLUMB_ROWS=rows python plumb_vlmeval.py --data plumb_aspire --model MODEL

In: run.py in the working folder with its arguments, rows in the folder PLUMB_ROWS.
Out: run.py's files, with the mean in the column Overall, how many were scored, and
the result lines in *_plumb.jsonl. A sample that could not be scored, or was not
answered, is in no mean and is counted. The daemon is PLUMB_URL, else one that is
started. VLMEvalKit has no plug-ins: the dataset is added to its lists before it runs.
"""

from __future__ import annotations

import json
import os
import runpy
import sys
from pathlib import Path
from typing import Any

from plumb_client import Client, rows

PREFIX = "plumb_"

#: The text that VLMEvalKit's models return where a call failed.
UNANSWERED = "Failed to obtain answer"


def dataset_class() -> Any:
    """PlumbDataset, derived from VLMEvalKit's ImageBaseDataset."""
    import pandas as pd
    from vlmeval.dataset import ImageBaseDataset
    from vlmeval.smp import load

    class PlumbDataset(ImageBaseDataset):  # type: ignore[misc]
        """Tasks with pictures as `plumb prompt --rows` writes them."""

        TYPE = "VQA"

        @classmethod
        def supported_datasets(cls) -> list[str]:
            """plumb_SUITE for each suite with pictures."""
            return [PREFIX + suite for suite in rows.SUITES if suite != "drawingbench"]

        def load_data(self, dataset: str) -> Any:
            """Reads the rows of a suite."""
            return pd.DataFrame(columns_of(dataset))

        def evaluate(self, eval_file: str, **judge_kwargs: Any) -> Any:
            """Scores a file of predictions."""
            answered = load(eval_file)
            labels = dict(zip(map(str, self.data["index"]), self.data["label"]))
            lines, table = evaluate([labels[str(i)] for i in answered["index"]], list(answered["prediction"]))
            out = Path(eval_file).with_suffix("")
            out.with_name(out.name + "_plumb.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
            return pd.DataFrame(table)

    return PlumbDataset


def columns_of(dataset: str) -> dict[str, list[Any]]:
    """The columns index, image, image_path, question and label of a suite's rows."""
    path = Path(os.environ.get("PLUMB_ROWS", ".")) / f"{dataset.removeprefix(PREFIX)}.jsonl"
    if not path.exists():
        raise FileNotFoundError(f"cannot find rows of {dataset}: want {path}, from plumb prompt --rows; PLUMB_ROWS names the folder")
    found = [json.loads(line) for line in path.read_text().splitlines()]
    if bare := [r["id"] for r in found if not r.get("png")]:
        raise ValueError(f"cannot ask {dataset}: {len(bare)} rows have no picture, such as {bare[0]}; VLMEvalKit's image datasets need one")
    pictures = [[r["png"], *(r.get("more") or [])] for r in found]
    return {
        "index": [str(i) for i in range(len(found))],
        "image": [p[0] if len(p) == 1 else str(p) for p in pictures],
        "image_path": [f"{i}.png" if len(p) == 1 else str([f"{i}-{n}.png" for n in range(len(p))]) for i, p in enumerate(pictures)],
        "question": [r["prompt"] for r in found],
        "label": [r["label"] for r in found],
    }


def evaluate(labels: list[str], predictions: list[Any]) -> tuple[list[dict[str, Any]], dict[str, list[Any]]]:
    """The result lines of predictions, and the table of means. Raises BadLabel, and
    ValueError where nothing could be scored."""
    given = [i for i, p in enumerate(predictions) if isinstance(p, str) and UNANSWERED not in p]
    results = Client(rows.find()[0]).reward_many([labels[i] for i in given], [predictions[i] for i in given])
    lines: list[dict[str, Any]] = [{"score": None, "error": {"code": "no_response", "message": "the model was not heard"}} for _ in labels]
    for i, r in zip(given, results):
        lines[i] = dict(r.line) or {"score": None, "error": {"code": r.error.code, "message": r.error.message} if r.error else None}
    known = [r.score for r in results if r.score is not None]
    if not known:
        raise ValueError(f"cannot average scores: none of {len(labels)} samples could be scored")
    return lines, {"Overall": [sum(known) / len(known)], "scored": [len(known)], "failed": [len(labels) - len(known)]}


def register() -> Any:
    """Adds PlumbDataset to VLMEvalKit's lists."""
    import vlmeval.dataset as known

    known.PlumbDataset = dataset_class()
    known.DATASET_CLASSES.insert(0, known.PlumbDataset)
    known.SUPPORTED_DATASETS.extend(known.PlumbDataset.supported_datasets())
    return known.PlumbDataset


def main() -> None:
    """Runs run.py of the working folder."""
    if not Path("run.py").exists():
        sys.exit("cannot run VLMEvalKit: there is no run.py here; want its folder as the working folder")
    sys.path.insert(0, os.getcwd())
    register()
    runpy.run_path("run.py", run_name="__main__")


if __name__ == "__main__":
    main()
