"""The package as others get it: types, contents of the wheel, one dependency."""

import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parents[1]
BUILD = HERE.parents[1] / "build"


class Package(unittest.TestCase):
    def test_types(self) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(BUILD / "mypy"), "plumb_client"],
            cwd=HERE, capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_wheel(self) -> None:
        with tempfile.TemporaryDirectory() as d:
            import shutil

            source = Path(d) / "source"  # setuptools leaves folders beside what it builds
            shutil.copytree(HERE, source, ignore=shutil.ignore_patterns("__pycache__", "tests"))
            done = subprocess.run(
                [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "--no-index", "-w", d, str(source)],
                capture_output=True, text=True,
            )  # fmt: skip
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            wheel = zipfile.ZipFile(next(Path(d).glob("plumb_client-*-py3-none-any.whl")))
            names = {n for n in wheel.namelist() if ".dist-info" not in n}
            want = {f"plumb_client/{p.name}" for p in (HERE / "plumb_client").iterdir() if p.suffix == ".py"}
            want |= {str(p.relative_to(HERE)) for pattern in ("items/*.json*", "items/img/*") for p in (HERE / "plumb_client").glob(pattern)}
            self.assertEqual(names, want | {"plumb_client/py.typed"})
            self.assertTrue(any(n.endswith("licenses/LICENSE") for n in wheel.namelist()))
            meta = wheel.read(next(n for n in wheel.namelist() if n.endswith("METADATA"))).decode()
            needed = [line for line in meta.splitlines() if line.startswith("Requires-Dist") and "extra" not in line]
            self.assertEqual(len(needed), 1)
            self.assertIn("aiohttp", needed[0])

    def test_everything_is_described(self) -> None:
        """Every public name of every module has a docstring."""
        import ast

        missing = []
        for path in sorted((HERE / "plumb_client").glob("*.py")):
            tree = ast.parse(path.read_text())
            todo = [(path.stem, tree)]
            while todo:
                name, node = todo.pop()
                if not ast.get_docstring(node):
                    missing.append(name)
                for child in node.body:
                    if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and not child.name.startswith("_"):
                        if isinstance(child, ast.ClassDef):
                            todo.append((f"{name}.{child.name}", child))  # type: ignore[arg-type]
                        elif not ast.get_docstring(child):
                            missing.append(f"{name}.{child.name}")
        self.assertEqual(missing, [])


if __name__ == "__main__":
    unittest.main()
