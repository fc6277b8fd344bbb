"""What a model is asked, as the content of a message of inspect_ai."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import ContentImage, ContentText
from plumb_client import Prompt


def content(prompt: Prompt) -> Any:
    """The text, or the parts of prompt with its pictures."""
    if not prompt.images:
        return prompt.text
    return prompt.blocks(lambda text: ContentText(text=text), lambda picture: ContentImage(image=picture.url))
