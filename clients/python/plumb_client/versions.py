"""Which versions of other packages this one has been run with.

An old or unknown version is no error: one line says which are known to work.
"""

from __future__ import annotations

import warnings
from importlib import metadata

#: Versions that `make test-envs` runs the packages with.
KNOWN = {
    "gem-llm": ("0.1.0",),
    "inspect-ai": ("0.3.285",),
    "lmms-eval": ("0.7.3",),
    "nemo-gym": ("0.7.0",),
    "openenv": ("0.10.0",),
    "openreward": ("0.1.167",),
    "skyrl-gym": ("0.4.0",),
    "trl": ("1.16.0",),
    "verifiers": ("0.3.1", "0.4.0"),
    "verl": ("0.9.1",),
}


def check(package: str, missing: BaseException | None = None) -> None:
    """Warns where the installed version of a package is not a known one; a package that
    is not installed under this name is left alone.

    With missing, an error from importing it, raises ImportError that says which
    versions are known.
    """
    try:
        version = metadata.version(package)
    except metadata.PackageNotFoundError:
        version = "none"
    known = " and ".join(KNOWN[package])
    said = f"{package}: got version {version}; known to work: {known}"
    if missing is not None:
        raise ImportError(f"{said} ({missing})") from missing
    if version not in ("none", *KNOWN[package]):
        warnings.warn(said, stacklevel=2)
