"""What inspect_ai finds by the entry point `plumb_inspect`."""

from plumb_inspect import aspire, drawingbench, plumb, plumb_turns, spaceeval, spatialab, tangram, tangram_outline  # noqa: F401
