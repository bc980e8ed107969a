"""A new motion of a model in every form it can be looked at."""

from pathlib import Path

from tsbn import view
from tsbn.choices import Choices
from tsbn.estimators import SequenceModel
from tsbn.motion import write_bvh
from tsbn.preparation import follow
from tsbn.styles import parse


def write_walk(model: SequenceModel, text: str, stem: Path, *, seed: int = 0) -> None:
    """Video, page, BVH, stills and style path of a motion that follows the styles in `text`.

    The model must have learnt motions, and know how they were prepared (`preparation_`). Files that exist are replaced.
    """
    if model.preparation_ is None:
        raise ValueError("the model does not know how its data were prepared: set its preparation_")
    path = parse(text, model.side_.labels)
    # Drawn frames would tremble with the observation's noise, and their means with every unit that switches.
    motion = model.preparation_.motion(follow(model, path, seed=seed, choices=Choices("expected")))
    shown = view.take(motion, title=text, styles=path)
    view.write_video(shown, stem.with_suffix(".mp4"), overwrite=True)
    view.write_page(shown, stem.with_suffix(".html"), title=text, overwrite=True)
    write_bvh(motion, stem.with_suffix(".bvh"), overwrite=True)
    view.save(view.still_figure(shown, frames=12), Path(f"{stem}_stills.png"), overwrite=True)
    view.save(view.style_path(path, frame_rate=motion.frame_rate), Path(f"{stem}_path.png"), overwrite=True)
