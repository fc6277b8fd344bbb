"""plumb as an OpenEnv environment: the client of the daemon's sessions."""

from plumb_client import versions

try:
    from plumb_env.client import PlumbEnv
except ImportError as e:
    versions.check("openenv", missing=e)
versions.check("openenv")

__all__ = ["PlumbEnv"]
