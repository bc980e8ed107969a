"""Motion capture files in and out, skeletons, features for learning, and a procedural walker."""

from tsbn.motion.amc import read_amc, write_amc
from tsbn.motion.asf import Asf, Bone, read_asf, write_asf
from tsbn.motion.bvh import read_bvh, write_bvh
from tsbn.motion.features import Features, Start, channel_names, decode, encode
from tsbn.motion.folder import MotionFolder, read_motion_folder
from tsbn.motion.parsing import MotionFileError
from tsbn.motion.resample import resample
from tsbn.motion.skeleton import Motion, Skeleton, global_rotations, positions
from tsbn.motion.walker import walker
from tsbn.motion.walker_styles import STYLES, Style

__all__ = [
    "STYLES",
    "Asf",
    "Bone",
    "Features",
    "Motion",
    "MotionFileError",
    "MotionFolder",
    "Skeleton",
    "Start",
    "Style",
    "channel_names",
    "decode",
    "encode",
    "global_rotations",
    "positions",
    "read_amc",
    "read_asf",
    "read_bvh",
    "read_motion_folder",
    "resample",
    "walker",
    "write_amc",
    "write_asf",
    "write_bvh",
]
