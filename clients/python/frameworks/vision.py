"""A tiny random model that sees pictures, with its processor; nothing is downloaded.

Each word of its vocabulary is a whole answer (words.py). A picture is a few tokens.
Its chat template is TRL's own for Qwen3-VL, so TRL reads the calls of tools.
"""

from __future__ import annotations

import json

import torch
from frameworks.words import tokenizer
from transformers import (
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessor,
    Qwen2VLProcessor,
    Qwen2VLVideoProcessor,
)
from trl.chat_template_utils import qwen3_vl_chat_template

MARKS = ["<|im_start|>assistant\n", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>"]


def call(answer: str) -> str:
    """A call of the tool `answer`, as one word."""
    return f"<tool_call>{json.dumps({'name': 'answer', 'arguments': {'answer': answer}}, separators=(',', ':'))}</tool_call>"


def vision(answers: list[str]) -> tuple[Qwen2VLForConditionalGeneration, Qwen2VLProcessor]:
    """A model of these answers and of nothing else, always the same one."""
    words = tokenizer(answers)
    words.add_special_tokens({"additional_special_tokens": MARKS, "eos_token": "<|im_end|>"})
    pictures = Qwen2VLImageProcessor(min_pixels=56 * 56, max_pixels=84 * 84)
    processor = Qwen2VLProcessor(pictures, words, Qwen2VLVideoProcessor(), chat_template=qwen3_vl_chat_template)
    ids = {m: words.convert_tokens_to_ids(m) for m in MARKS}
    torch.manual_seed(0)
    model = Qwen2VLForConditionalGeneration(
        Qwen2VLConfig(
            text_config={"vocab_size": len(words), "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2,
                         "num_key_value_heads": 2, "max_position_embeddings": 8192, "pad_token_id": words.pad_token_id,
                         "bos_token_id": None, "eos_token_id": words.eos_token_id,
                         "rope_parameters": {"rope_type": "default", "rope_theta": 1e4, "mrope_section": [1, 1, 2]}},
            vision_config={"depth": 1, "embed_dim": 16, "hidden_size": 16, "num_heads": 2, "mlp_ratio": 2},
            image_token_id=ids["<|image_pad|>"], video_token_id=ids["<|video_pad|>"],
            vision_start_token_id=ids["<|vision_start|>"], vision_end_token_id=ids["<|vision_end|>"],
        )
    )  # fmt: skip
    model.generation_config.eos_token_id = words.eos_token_id
    return model, processor


def unsaid(processor: Qwen2VLProcessor, answers: list[str]) -> list[int]:
    """The tokens that are neither an answer nor an end."""
    words = processor.tokenizer
    said = {words.eos_token_id, *words.convert_tokens_to_ids(answers)}
    return [i for i in range(len(words)) if i not in said]
