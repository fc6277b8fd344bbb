"""Draws scenes with Pillow and sums their alpha with numpy.

In: a file of scenes as lines {"w","h","polygons":[[rgb, [[x, y, ...], ...]]]}.
Pillow has no antialiasing of its own: pictures are drawn four times as large in
both directions and reduced, as is usual with it. Out: one line of JSON per request line.
"""

import json
import resource
import sys
import time

import numpy as np
from PIL import Image, ImageDraw

FACTOR = 4


def winding(ring):
    """Twice the signed area."""
    points = list(zip(ring[0::2], ring[1::2]))
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(points, points[1:] + points[:1]))


def coverage(w, h, rings):
    """The coverage of one fill: rings that wind against the first one are holes."""
    whole = Image.new("1", (w * FACTOR, h * FACTOR))
    draw = ImageDraw.Draw(whole)
    rings = [(winding(r) > 0, r) for r in rings if len(r) >= 6]
    for solid in (True, False):
        for way, ring in rings:
            if (way == rings[0][0]) == solid:
                draw.polygon([v * FACTOR for v in ring], fill=int(solid))
    return whole.convert("L").reduce(FACTOR)


def centre(scene):
    """The alpha of a scene and its centre of mass."""
    w, h = scene["w"], scene["h"]
    alpha = np.zeros((h, w), np.float32)
    for rings in scene["polygons"]:
        c = np.asarray(coverage(w, h, rings), np.float32) / 255
        alpha += (1 - alpha) * c
    total = float(alpha.sum(dtype=np.float64))
    x = float((alpha.sum(0, dtype=np.float64) * np.arange(w)).sum()) / total + 0.5
    y = float((alpha.sum(1, dtype=np.float64) * np.arange(h)).sum()) / total + 0.5
    return {"alpha": total, "x": x, "y": y}


def main():
    scenes = [json.loads(line) for line in open(sys.argv[1])]
    for _ in sys.stdin:
        start, cpu = time.perf_counter(), time.process_time()
        centres = [centre(s) for s in scenes]
        wall, core = time.perf_counter() - start, time.process_time() - cpu
        rss = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(json.dumps({"centres": centres, "wall": wall, "core": core, "rss": rss}), flush=True)


main()
