"""plumb for inspect_ai: a task per suite, a scorer, and a solver of several turns.

    inspect eval plumb_inspect/aspire --model MODEL -T items=tasks.jsonl
    inspect score LOG --scorer plumb_inspect/plumb --action append

In: task files of plumb, or those that a daemon has loaded. Out: scores equal to
`plumb score`. What could not be scored is unscored, never 0; a label that cannot
be used raises BadLabel.
"""

from plumb_client import versions

try:
    from plumb_inspect._scorer import plumb
    from plumb_inspect._solver import plumb_turns
    from plumb_inspect._tasks import aspire, drawingbench, spaceeval, spatialab, tangram, tangram_outline
except ImportError as e:
    versions.check("inspect-ai", missing=e)
versions.check("inspect-ai")

__all__ = ["aspire", "drawingbench", "plumb", "plumb_turns", "spaceeval", "spatialab", "tangram", "tangram_outline"]
