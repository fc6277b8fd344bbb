"""The program plumb as a package: plumb_bin.program() is its path."""

import os
import sys
from pathlib import Path


def program() -> Path:
    """The path of the program; its fonts lie beside it, where it looks for them."""
    return Path(__file__).parent / "plumb"


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    os.execv(program(), ["plumb", *sys.argv[1:]])
