"""Pictures of motions and of what models do with them: videos, stills, a page that plays in 3-D, plots."""

from tsbn.view.takes import Take, take
from tsbn.view.video import render, write_video

__all__ = ["Take", "render", "take", "write_video"]
