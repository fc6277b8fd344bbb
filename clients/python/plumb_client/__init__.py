"""Client of the plumb daemon, which scores what models do to a whiteboard.

    import plumb_client

    client = plumb_client.Client("http://127.0.0.1:8000")
    client.wait_until_ready()
    print(client.reward(label, response).reward)

AsyncClient has the same methods as coroutines. Each trainer has a module of its
own with its entry points, such as plumb_client.trl; the README lists them. A module is
loaded when it is first named. Only gem and openreward, whose classes derive from those
of the framework, import it when they are loaded.
"""

import importlib
import importlib.util
from types import ModuleType

from plumb_client.calls import Health
from plumb_client.client import AsyncClient, Client
from plumb_client.episode import AsyncEpisode, Episode
from plumb_client.errors import BadAnswer, BadLabel, NotReady, PlumbError, Refused, Unavailable, Unscorable
from plumb_client.labels import encode_label
from plumb_client.pool import close
from plumb_client.result import Failure, Result, Timings
from plumb_client.target import TLS
from plumb_client.turns import Picture, Prompt, Turn

__version__ = "0.1.0"

__all__ = [
    "TLS",
    "AsyncClient",
    "AsyncEpisode",
    "BadAnswer",
    "BadLabel",
    "Client",
    "Episode",
    "Failure",
    "Health",
    "NotReady",
    "Picture",
    "PlumbError",
    "Prompt",
    "Refused",
    "Result",
    "Timings",
    "Turn",
    "Unavailable",
    "Unscorable",
    "close",
    "encode_label",
]


def __getattr__(name: str) -> ModuleType:
    """Loads plumb_client.NAME, the module of a trainer."""
    if name.startswith("_") or importlib.util.find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return importlib.import_module(f"{__name__}.{name}")
