"""Run the parts, each in a process of its own, and report: a table, a JSON file, and the page of
the documentation.

usage: python -m benchmarks.run [--only PART]... [--size SIZE]... [--quick] [--fresh] [--json FILE]
[--page FILE] Results are kept in .bench/results; a part is measured again if Spaniel has changed
since, or with --fresh.
"""

import argparse
import hashlib
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks import report
from benchmarks.parts import PARTS
from benchmarks.targets import SIZES

RESULTS = Path(".bench/results")
SECONDS = 1800
"""A part that takes longer has failed."""
REPORTING = {"run.py", "report.py", "chart.py"}
ENVIRONMENT = {
    "HAYSTACK_TELEMETRY_ENABLED": "False",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
PACKAGES = [
    "haystack-ai",
    "bm25s",
    "numba",
    "tantivy",
    "pyterrier-pisa",
    "lancedb",
    "duckdb",
    "rank_bm25",
    "numpy",
    "apsw",
    "faiss-cpu",
    "usearch",
    "hnswlib",
]


def chosen(only: list[str], sizes: list[int], *, quick: bool) -> list[tuple[str, int]]:
    """Return the parts to measure, with their sizes, the small sizes first."""
    pairs = [
        (name, size)
        for name, part in PARTS.items()
        for size in part.sizes
        if (name in only or not only) and (size in sizes or size not in SIZES) and (part.quick or not quick)
    ]
    return sorted(pairs, key=lambda pair: pair[1])


def state() -> str:
    """Return a mark of the code that is measured and that measures, another one for every change of
    it.
    """
    import spaniel

    digest = hashlib.sha256()
    roots = [Path(folder) for folder in spaniel.__path__] + [Path(__file__).parent]
    for path in sorted(path for root in roots for path in root.rglob("*") if path.suffix in {".py", ".so"}):
        if path.name not in REPORTING:
            digest.update(path.read_bytes())
    return digest.hexdigest()


def result(name: str, size: int, mark: str, *, fresh: bool) -> dict[str, Any]:
    """Return the result of a part: the kept one if it is good, else a new one."""
    path = RESULTS / f"{name}-{size}.json"
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    if kept.get("state") == mark and not kept["error"] and not fresh:
        print(f"{name} {size:,}: kept from before", file=sys.stderr)
        return kept
    print(f"{name} {size:,} ...", end="", file=sys.stderr, flush=True)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    new = _measure(name, size, path) | {"state": mark}
    path.write_text(json.dumps(new, indent=1) + "\n", encoding="utf-8")
    print(f" {new['error'] or 'done'}, {new['seconds']:.0f} s", file=sys.stderr, flush=True)
    return new


def _measure(name: str, size: int, path: Path) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.parts", name, str(size), str(path)]
    try:
        code = subprocess.run(
            command, env=os.environ | ENVIRONMENT, timeout=SECONDS, check=False, stdout=sys.stderr
        ).returncode
        problem = f"the process ended with {code}"
    except subprocess.TimeoutExpired:
        problem = f"it took more than {SECONDS} s"
    if path.is_file():
        new: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return new
    return {"part": name, "size": size, "rows": [], "error": problem, "seconds": 0.0}


def machine() -> dict[str, Any]:
    """Return the description of the machine."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "memory": f"{memory:.0f} GiB",
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def versions() -> dict[str, str]:
    """Return the versions of the other sides."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            continue
    return found


def main() -> None:
    """Run and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", default=[], choices=PARTS, help="a part; may be given again")
    parser.add_argument("--size", action="append", default=[], type=int, choices=SIZES, help="may be given again")
    parser.add_argument("--quick", action="store_true", help="without the slow parts")
    parser.add_argument("--fresh", action="store_true", help="measure again what was measured before")
    parser.add_argument("--json", type=Path, help="where to write the results")
    parser.add_argument("--page", type=Path, help="the page whose tables and chart are replaced")
    options = parser.parse_args()
    mark = state()
    results = [
        result(name, size, mark, fresh=options.fresh)
        for name, size in chosen(options.only, options.size or list(SIZES), quick=options.quick)
    ]
    data = report.collected(results, machine(), versions())
    print(report.text(data))
    if options.json:
        options.json.write_text(report.as_json(data), encoding="utf-8")
    if options.page:
        report.write_page(options.page, data)


if __name__ == "__main__":
    main()
