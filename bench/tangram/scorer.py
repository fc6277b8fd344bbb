"""Scores TangramPuzzle solutions in doubles with shapely 2, as a scorer in Python
would, but written to be quick: one vectorised call for all pieces or pairs,
targets made once, coordinates remembered within a pass.

In: the path of a file with one item per line, target_outline included; then a
line on stdin for each pass. Out: per pass one line of JSON with wall and core
seconds, the bytes of all result lines, and every item's iou, distance and
count of pieces. It does less work than docs/spec/tangram.md asks for: connectivity
comes from the union, and the Hausdorff distance is that of vertices."""

import json
import math
import re
import sys
import time

import numpy as np
import shapely

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(\\[A-Za-z]+|sqrt)|(.))", re.S)
SKIP = re.compile(r"\\(?:left|right|quad|qquad|displaystyle)(?![A-Za-z])|\\[,;:! ]|[~\s]+")
SIGNS = str.maketrans({"\u2212": "-", "\u00b7": "*", "\u22c5": "*", "\u00d7": "*", "\u00f7": "/", "\u2044": "/"})
FRACTIONS = {"\\frac", "\\dfrac", "\\tfrac", "\\cfrac"}
CLOSING = {"(": ")", "{": "}", "[": "]"}


class Reader:
    """Evaluates one LaTeX expression by recursive descent."""

    def __init__(self, text):
        text = SKIP.sub(" ", text.translate(SIGNS)).strip()
        for a, b in (("$$", "$$"), ("$", "$"), ("\\(", "\\)"), ("\\[", "\\]")):
            if len(text) > len(a) + len(b) and text.startswith(a) and text.endswith(b):
                text = text[len(a) : -len(b)]
                break
        self.list, self.at = TOKEN.findall(text.strip()), 0

    def value(self):
        x = self.sum()
        if self.at < len(self.list):
            raise ValueError("text after the expression")
        return x

    def peek(self):
        return self.list[self.at] if self.at < len(self.list) else ("", "", "")

    def sum(self):
        x = self.product()
        while self.peek()[2] in ("+", "-") and self.peek()[2]:
            self.at += 1
            x = x + self.product() if self.list[self.at - 1][2] == "+" else x - self.product()
        return x

    def product(self):
        x = self.unary()
        number = self.list[self.at - 1][0] != ""
        while True:
            digits, word, sign = self.peek()
            if sign == "*" or word in ("\\cdot", "\\times"):
                self.at += 1
                x *= self.unary()
            elif sign == "/" or word == "\\div":
                self.at += 1
                x /= self.unary()
            elif word or digits and not number or sign and sign in "({[\u221a":
                x *= self.power()
            else:
                return x
            number = self.list[self.at - 1][0] != ""

    def unary(self):
        if self.peek()[2] in ("+", "-") and self.peek()[2]:
            self.at += 1
            return self.unary() if self.list[self.at - 1][2] == "+" else -self.unary()
        return self.power()

    def power(self):
        x = self.atom()
        if self.peek()[2] == "^":
            self.at += 1
            n = self.unary() if self.peek()[2] == "{" else self.digit()
            if abs(n) > 8:
                raise ValueError("exponent")
            x = x**n
        return x

    def atom(self):
        digits, word, sign = self.peek()
        self.at += 1
        if digits:
            return float(digits)
        if sign in CLOSING:
            x = self.sum()
            if self.peek()[2] != CLOSING[sign]:
                raise ValueError("bracket")
            self.at += 1
            return x
        if word in FRACTIONS:
            a = self.argument()
            return a / self.argument()
        if word in ("\\sqrt", "sqrt") or sign == "\u221a":
            whole = word != "\\sqrt" or self.peek()[2] == "("
            return math.sqrt(self.atom() if whole else self.argument())
        if word == "\\pi":
            return math.pi
        raise ValueError("unknown")

    def argument(self):
        digits, word, sign = self.peek()
        if sign == "{" or word:
            return self.atom()
        return self.digit()

    def digit(self):
        """Takes one digit: the rest of the number stays (TeX)."""
        digits = self.peek()[0]
        if not digits:
            raise ValueError("argument")
        if len(digits) > 1:
            self.list[self.at] = (digits[1:], "", "")
        else:
            self.at += 1
        return float(digits[0])


values = {}  # coordinates by their text


def number(v):
    """Returns a coordinate and whether its text is a decimal."""
    if isinstance(v, (int, float)) and not isinstance(v, bool):
        return float(v), isinstance(v, float)
    got = values.get(v)
    if got is None:
        x = Reader(v).value()
        if not abs(x) <= 1e6:
            raise ValueError("too large")
        got = values[v] = x, "." in v or "pi" in v
    return got


def vertex(v):
    if isinstance(v, dict):
        return number(v["x"]), number(v["y"])
    if isinstance(v, str):
        text = SKIP.sub(" ", v).strip().strip("$").strip()
        if text.startswith("(") and text.endswith(")"):
            text = text[1:-1]
        x, y = text.split(",")
        return number(x), number(y)
    x, y = v
    return number(x), number(y)


def vertices(piece):
    """Returns the ring without equal neighbours, and whether it is decimal."""
    for name in ("vertices", "V_world", "V"):
        if name in piece:
            break
    out, decimal = [], False
    for v in piece[name][:65]:
        (x, dx), (y, dy) = vertex(v)
        decimal = decimal or dx or dy
        if not out or out[-1] != (x, y):
            out.append((x, y))
    if len(out) > 1 and out[0] == out[-1]:
        out.pop()
    if len(out) < 3:
        raise ValueError("vertices")
    return out, decimal


DECODER = json.JSONDecoder()


def find(text):
    """Returns the last object of the text that holds a final state."""
    at, found = 0, None
    while (at := text.find("{", at)) >= 0:
        try:
            v, at = DECODER.raw_decode(text, at)
        except ValueError:
            at += 1
            continue
        for c in (v, v.get("tce"), v.get("TCE")):
            if isinstance(c, dict) and "final_state" in c:
                found = c
                break
    return found


def pieces(found):
    state = found["final_state"]
    if isinstance(state, dict) and "pieces" in state:
        state = state["pieces"]
    if isinstance(state, dict):
        return list(state.values())
    return state if isinstance(state, list) else []


LETTERS = re.compile("[^a-z]")
KINDS = {"largetriangle": "L", "bigtriangle": "L", "mediumtriangle": "M", "middletriangle": "M", "smalltriangle": "S", "square": "Q", "parallelogram": "P"}
SIZES = {"L": (2, 4 + 8**0.5), "M": (1, 2 + 8**0.5), "S": (0.5, 2 + 2**0.5), "Q": (1, 4), "P": (1, 2 + 8**0.5)}
PAIRS = {n: np.triu_indices(n, 1) for n in range(65)}


def kind(piece):
    name = piece.get("type", piece.get("piece_type")) if isinstance(piece, dict) else None
    return KINDS.get(LETTERS.sub("", name.lower())) if isinstance(name, str) else None


def read(text):
    """Returns rings, their kinds, whether one is decimal, and the reasons against the syntax."""
    found = find(text)
    if found is None:
        return [], [], False, ["json"]
    rings, kinds, decimal, reasons, every = [], [], False, set(), pieces(found)
    for p in every:
        k = kind(p)
        if k is None:
            reasons.add("type")
        try:
            ring, d = vertices(p)
        except (ValueError, TypeError, KeyError, IndexError, AttributeError, ArithmeticError):
            reasons.add("vertices")
            continue
        rings.append(ring)
        kinds.append(k)
        decimal = decimal or d
    if len(every) != 7:
        reasons.add("count")
    elif "type" not in reasons and sorted(map(str, map(kind, every))) != sorted("LLMSSQP"):
        reasons.add("inventory")
    return rings, kinds, decimal, sorted(reasons)


def union_of(regions, decimal):
    """Returns the union, without cracks, and whether it is one piece."""
    union = shapely.union_all(regions, grid_size=1e-9)
    if decimal:
        joined = shapely.union_all(shapely.buffer(regions, 1 / 600, join_style="mitre"))
        return union, joined, joined.geom_type == "Polygon"
    return union, union, union.geom_type == "Polygon"


def score(item, targets):
    """Returns the result of one item."""
    rings, kinds, decimal, reasons = read(item["response"])
    out = {"id": item["id"], "tse": bool(reasons), "tse_reasons": reasons, "class": "decimal" if decimal else "exact", "n_parsed": len(rings)}
    if not rings:
        return out
    polygons = np.array([shapely.Polygon(r) for r in rings])
    valid = shapely.is_valid(polygons)
    if not valid.all():
        polygons[~valid] = shapely.make_valid(polygons[~valid])
    areas, sides = shapely.area(polygons), shapely.length(polygons)
    near = 0.01 if decimal else 1e-9
    wrong = [bool(not ok or abs(a - SIZES[k][0]) > near or abs(p - SIZES[k][1]) > near) for a, p, ok, k in zip(areas, sides, valid, kinds) if k]
    regions = polygons[areas > 1e-12]
    i, j = PAIRS[len(regions)]
    shared = shapely.area(shapely.intersection(regions[i], regions[j]))
    limit = 0.01 if decimal else 1e-9
    overlaps = [[int(i[k]), int(j[k]), float(shared[k]), bool(shared[k] > limit)] for k in np.flatnonzero(shared > 1e-9)]
    out.update(pieces=[{"area": float(a), "perimeter": float(p), "simple": bool(ok)} for a, p, ok in zip(areas, sides, valid)], overlaps=overlaps, rge=any(wrong) and not reasons)
    if len(regions) == 0:
        return out
    name = item["instance_id"]
    target = targets.get(name)
    if target is None:
        target = targets[name] = shapely.Polygon([(number(x)[0], number(y)[0]) for x, y in item["target_outline"]["vertices"]])
        shapely.prepare(target)
    union, joined, connected = union_of(regions, decimal)
    both = shapely.area(shapely.intersection(union, target))
    size = shapely.area(union)
    iou = both / (size + target.area - both)
    far = shapely.hausdorff_distance(joined.boundary, target.boundary)
    pe = any(o[3] for o in overlaps) or not connected
    vpr = not (reasons or out["rge"] or pe)
    same = iou >= 0.99 and far <= 0.02 if decimal else iou >= 1 - 1e-9
    out.update(pe=pe, vpr=vpr, union_area=float(size), intersection_area=float(both), iou=float(iou), hausdorff=float(far), success=bool(vpr and same))
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        lines = f.read().splitlines()
    targets = {}
    for _ in sys.stdin:
        values.clear()
        size, iou, far, parsed = 0, [], [], []
        wall, core = time.perf_counter(), time.process_time()
        for line in lines:
            r = score(json.loads(line), targets)
            size += len(json.dumps(r))
            iou.append(r.get("iou"))
            far.append(r.get("hausdorff"))
            parsed.append(r["n_parsed"])
        core, wall = time.process_time() - core, time.perf_counter() - wall
        about = f"shapely {shapely.__version__}, GEOS {shapely.geos_version_string}, numpy {np.__version__}, Python {sys.version.split()[0]}"
        print(json.dumps({"wall": wall, "core": core, "size": size, "iou": iou, "far": far, "parsed": parsed, "about": about}), flush=True)


main()
