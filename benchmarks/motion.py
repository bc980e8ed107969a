"""How fast motion files become features, and rotations positions: `python benchmarks/motion.py --json FILE`.

Reads the ten AMC walks of CMU subject 137 from the folder named by TSBN_DATA; one process, one thread.
"""

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


from tsbn.motion import encode, positions, read_amc, read_asf
from tsbn.motion.amc import by_line, by_stride, channels


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """The shortest of a few runs: the others were disturbed."""
    taken = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def plain_loop(path: Path) -> dict[str, list[list[float]]]:
    """What a first attempt would look like, without any checks: the least a loop over lines can cost."""
    values: dict[str, list[list[float]]] = {}
    with path.open() as file:
        for line in file:
            name, *numbers = line.split()
            if numbers and not name.startswith(("#", ":")):
                values.setdefault(name, []).append([float(number) for number in numbers])
    return values


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, help="write the figures to this file")
    arguments = parser.parse_args()
    if "TSBN_DATA" not in os.environ:
        parser.error("TSBN_DATA is not set, expected the folder that holds cmu/137")
    folder = Path(os.environ["TSBN_DATA"]) / "cmu" / "137"
    asf = read_asf(folder / "137.asf")
    files = sorted(folder.glob("*.amc"))
    motions = [read_amc(asf, path) for path in files]
    bodies = [path.read_bytes().partition(b":DEGREES\n")[2] for path in files]
    expected = channels(asf)
    places = sum(motion.frames * motion.skeleton.joints for motion in motions)
    figures = {
        "files": len(files),
        "frames": sum(motion.frames for motion in motions),
        "files to features, seconds": seconds(lambda: [encode(read_amc(asf, path)) for path in files]),
        "parsing by stride, seconds": seconds(lambda: [by_stride(body, expected) for body in bodies]),
        "parsing by line, seconds": seconds(
            lambda: [by_line(body, expected, path, 1) for body, path in zip(bodies, files, strict=True)], 1
        ),
        "parsing in a plain loop, seconds": seconds(lambda: [plain_loop(path) for path in files]),
        "joint positions per second": places / seconds(lambda: [positions(motion) for motion in motions]),
    }
    for name, figure in figures.items():
        print(f"{name}: {figure:,.3f}" if isinstance(figure, float) else f"{name}: {figure:,}")
    if arguments.json:
        arguments.json.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
