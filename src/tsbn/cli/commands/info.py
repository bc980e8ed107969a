"""Tell what is in a model file.

Examples:
  tsbn info walk.tsbn          kind, sizes, styles, what it was trained on and how well
  tsbn info walk.tsbn --json   the same for a program
"""

from __future__ import annotations

from typing import Any

from tsbn.cli.arguments import Flag, ModelFile, load_model, prepared, print_json
from tsbn.estimators import SemiSupervised, SequenceModel
from tsbn.files import named_arrays
from tsbn.preparation import Preparation


def info(file: ModelFile, /, json: Flag = False) -> None:
    """Tell what is in a model file.

    Args:
        file: A model file, as `tsbn train` writes them.
        json: Print it as JSON.
    """
    loaded = load_model(file)
    known = _known(*prepared(loaded))
    if isinstance(loaded, SemiSupervised):
        known["recognises"] = _recognition(loaded)
    if json:
        print_json(known)
        return
    for name, value in known.items():
        if value not in (None, {}, []):
            print(f"{name.replace('_', ' ')}: {_told(value)}")


def _known(model: SequenceModel, preparation: Preparation) -> dict[str, Any]:
    skeleton = preparation.figure.skeleton if preparation.figure else None
    history = model.history_
    watched = [row for row in history if "validation" in row]
    return {
        "model": type(model).__name__,
        "parameters": sum(array.size for array in named_arrays(model.model_).values()),
        "settings": {name: value for name, value in model.get_params().items() if value is not None},
        "styles": [str(label) for label in model.side_.labels],
        "side_information": model.side_.describe(),
        "channels": len(preparation.channel_names),
        "channel_names": list(preparation.channel_names),
        "frame_rate": preparation.frame_rate,
        "joints": skeleton.joints if skeleton else None,
        "openings": [str(label) for label in preparation.openings],
        "trained_on": dict(preparation.source),
        "steps": history[-1]["step"] if history else 0,
        "best": max(watched, key=lambda row: row["validation"]) if watched else history[-1] if history else None,
    }


def _recognition(model: SemiSupervised) -> dict[str, Any]:
    """What a semi-supervised model has beside what generates."""
    chosen = {name: value for name, value in model.get_params(deep=False).items() if name != "model"}
    labels = {"labels": "changing within sequences" if model.changing_ else "one a sequence"}
    alone, together = model.calibration_._asdict(), model.calibration_.both
    weights = {f"weight_of_{name}": alone[name] for name in ("classifier", "model")}
    weights["weights_of_both"] = dict(zip(("classifier", "model"), together, strict=True))
    return {name: value for name, value in (labels | chosen | weights).items() if value is not None}


def _told(value: Any, most: int = 12) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_told(one)}" for name, one in value.items())
    if isinstance(value, (list, tuple)):
        more = f" and {len(value) - most} more" if len(value) > most else ""
        return ", ".join(map(_told, value[:most])) + more
    return f"{value:.6g}" if isinstance(value, float) else str(value)


COMMAND = info
