"""A tokenizer of which each word is a whole answer: answers of one token are worth
different rewards, and nothing is downloaded."""

from __future__ import annotations

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import WhitespaceSplit
from transformers import PreTrainedTokenizerFast

SPECIAL = ["<pad>", "<eos>", "<unk>", "draw", "it"]
CHAT = "{% for m in messages %}{{ m['content'] + ' ' }}{% endfor %}"


def tokenizer(answers: list[str]) -> PreTrainedTokenizerFast:
    """The special words, then a word for each answer."""
    words = Tokenizer(WordLevel({w: i for i, w in enumerate([*SPECIAL, *answers])}, unk_token="<unk>"))
    words.pre_tokenizer = WhitespaceSplit()
    return PreTrainedTokenizerFast(
        tokenizer_object=words, pad_token="<pad>", eos_token="<eos>", unk_token="<unk>", chat_template=CHAT
    )
