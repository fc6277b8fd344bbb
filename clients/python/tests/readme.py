"""Blocks of code of the README, which tests run as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
#: Paths in the README are relative to this folder.
ROOT = HERE.parents[1]


def blocks(heading: str, language: str) -> list[str]:
    """The blocks of one language under a heading, in order. Raises KeyError where
    there are none, so that a renamed heading is not taken for a passed test."""
    parts = re.split(r"^#{1,6} (.*)\n", (HERE / "README.md").read_text(), flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2]))
    found = re.findall(rf"^```{language}\n(.*?)^```", sections[heading], re.M | re.S)
    if not found:
        raise KeyError(f"no {language} under {heading!r}")
    return found


def headings() -> dict[str, int]:
    """How many blocks of code stand under each heading."""
    parts = re.split(r"^#{1,6} (.*)\n", (HERE / "README.md").read_text(), flags=re.M)
    return {name: text.count("\n```") // 2 for name, text in zip(parts[1::2], parts[2::2]) if "\n```" in text}
