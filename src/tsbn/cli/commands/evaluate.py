"""Judge a model: bounds on the likelihood, and one-step errors beside those of plain models.

Examples:
  tsbn evaluate walk.tsbn                on the test part of the data it was trained on
  tsbn evaluate walk.tsbn more_walks/    on other data
  tsbn evaluate walk.tsbn --json         for a program

The errors are squared, summed over channels and averaged over frames, in the units the model works in (real data are
scaled to unit variance). Plain models are fitted to the data that the model was trained on.
"""

from __future__ import annotations

from typing import Annotated, Any

import tyro

from tsbn.baselines import one_step_errors
from tsbn.cli.arguments import Flag, ModelFile, Options, load_prepared, print_json
from tsbn.cli.judged import by_style, judged_data
from tsbn.data.progress import bars


def evaluate(
    file: ModelFile,
    data: Annotated[str, tyro.conf.arg(metavar="DATA")] = "",
    /,
    options: Options = (),
    particles: int = 64,
    seed: int = 0,
    json: Flag = False,
) -> None:
    """Judge a model.

    Args:
        file: A model file.
        data: Name of a data set, folder of motion files, or table; by default what the model was trained on.
        options: Options of the data, as for `tsbn train`.
        particles: Samples behind the tighter bounds.
        seed: The same seed gives the same figures.
        json: Print the figures as JSON.
    """
    model, preparation = load_prepared(file)
    judged = judged_data(preparation, data, options)
    with bars() as progress:
        task = progress.add_task("one-step predictions", total=2)
        errors = one_step_errors(model, judged.train, judged.test, model.order, seed=seed)
        progress.update(task, advance=1, description="bounds")
        bounds = model.log_likelihood(judged.test, particles=particles, seed=seed)
        progress.advance(task)
    styles = by_style(judged.test)
    frames = judged.test.lengths
    found = {
        "judged_on": judged.told,
        "sequences": len(judged.test),
        "frames": int(frames.sum()),
        "bound_per_frame": {name: float(b.sum() / frames.sum()) for name, b in bounds._asdict().items()},
        "one_step_error": {name: float(e.mean()) for name, e in errors.items()},
        "by_style": {
            style: {
                "bound_per_frame": float(bounds.elbo[at].sum() / frames[at].sum()),
                "one_step_error": {name: float(e[at].mean()) for name, e in errors.items()},
            }
            for style, at in styles.items()
        },
    }
    if json:
        print_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    print(f"judged on {found['judged_on']}: {found['sequences']} sequences, {found['frames']} frames")
    names = {"elbo": "bound per frame", "multi_sample": "  with more samples", "particle": "  with a particle filter"}
    for name, value in found["bound_per_frame"].items():
        print(f"{names[name]:<24} {value:10.3f} nats")
    models = list(found["one_step_error"])
    wide = max([len("one-step error"), *map(len, found["by_style"])])
    print(f"\n{'one-step error':<{wide}}  " + "  ".join(f"{name:>12}" for name in models) + f"  {'bound':>10}")
    rows = {style: row for style, row in found["by_style"].items() if len(found["by_style"]) > 1}
    everything = {"one_step_error": found["one_step_error"], "bound_per_frame": found["bound_per_frame"]["elbo"]}
    for style, row in {**rows, "all": everything}.items():
        figures = "  ".join(f"{row['one_step_error'][name]:>12.4f}" for name in models)
        print(f"{style:<{wide}}  {figures}  {row['bound_per_frame']:>10.3f}")


COMMAND = evaluate
