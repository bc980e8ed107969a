"""Files that are either whole or absent: named arrays with a JSON header, written atomically, read with care.

The format is safetensors: a header, then plain numbers. Nothing in it is ever executed.
"""

import json
import os
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import safetensors
from safetensors.numpy import save

from tsbn.atomic import new_file

HEADER = "tsbn"
Tree = TypeVar("Tree")


class FileFormatError(ValueError):
    """A file is not what it was opened as."""


def named_arrays(tree: Any, prefix: str = "") -> dict[str, np.ndarray]:
    """Every array of a pytree under the path that leads to it, such as `network.layers.0.W1.Wa`."""
    leaves = jax.tree_util.tree_leaves_with_path(eqx.filter(tree, eqx.is_array))
    return {prefix + _name(path): np.asarray(leaf) for path, leaf in leaves}


def with_arrays(tree: Tree, arrays: dict[str, np.ndarray], prefix: str = "") -> Tree:
    """A pytree of the same form, with its arrays (or their shapes) replaced by the ones of those names."""

    def replace(path, leaf):
        if not eqx.is_array_like(leaf) and not isinstance(leaf, jax.ShapeDtypeStruct):
            return leaf
        name = prefix + _name(path)
        if name not in arrays:
            raise FileFormatError(f"the array {name} is missing")
        given = arrays[name]
        if given.shape != leaf.shape or given.dtype != leaf.dtype:
            raise FileFormatError(
                f"the array {name} is {given.dtype}{list(given.shape)}, expected {leaf.dtype}{list(leaf.shape)}"
            )
        return jnp.asarray(given)

    return jax.tree_util.tree_map_with_path(replace, tree)


def _name(path) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")


def write(path: str | os.PathLike, arrays: dict[str, np.ndarray], header: dict[str, Any], *, overwrite: bool) -> None:
    """Write arrays and a header; the file appears complete or not at all. NumPy's numbers become plain ones."""
    content = save(arrays, metadata={HEADER: json.dumps(header, default=_plain)})
    with new_file(path, overwrite=overwrite) as temporary:
        temporary.write_bytes(content)


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r:.60} of type {type(value).__name__} cannot be stored: expected numbers or text")


def read(path: str | os.PathLike, kind: str, version: int) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The arrays and the header of a file of the given kind, not newer than the given version."""
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path}")
    try:
        with safetensors.safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a dict)
    except safetensors.SafetensorError as error:
        raise FileFormatError(f"{path} is not a {kind} file, or it is truncated ({error})") from None
    try:
        header = json.loads(metadata[HEADER])
        found_kind, found_version = header["kind"], header["version"]
    except (KeyError, TypeError, json.JSONDecodeError):
        raise FileFormatError(f"{path} is a safetensors file, but not a {kind} file of tsbn") from None
    if found_kind != kind:
        raise FileFormatError(f"{path} is a {found_kind} file of tsbn, expected a {kind} file")
    if found_version != version:
        raise FileFormatError(
            f"{path} has format version {found_version}, this tsbn reads version {version}; "
            "use the tsbn release that wrote it"
        )
    return arrays, header
