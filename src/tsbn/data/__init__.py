"""Sequences, where they come from, and what is done to them before a model sees them."""

from tsbn.data.files import from_csv, from_parquet, load_npz, save_npz
from tsbn.data.leading import led_in
from tsbn.data.looping import looped
from tsbn.data.scaling import Scaler
from tsbn.data.sequences import Sequences, concat
from tsbn.data.splits import join_in_time, leave_one_out, split_by_sequence, split_by_time
from tsbn.data.tables import from_table, to_columns
from tsbn.data.windows import Windows, cut_windows

__all__ = [
    "Scaler",
    "Sequences",
    "Windows",
    "concat",
    "cut_windows",
    "from_csv",
    "from_parquet",
    "from_table",
    "join_in_time",
    "leave_one_out",
    "led_in",
    "load_npz",
    "looped",
    "save_npz",
    "split_by_sequence",
    "split_by_time",
    "to_columns",
]
