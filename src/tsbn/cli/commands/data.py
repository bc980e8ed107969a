"""List, fetch, describe and check data sets.

Examples:
  tsbn data list                   every data set in a line
  tsbn data fetch jsb weather      fetch two of them, verified by checksum
  tsbn data describe weather       home, terms, citation, options, and what is in it
  tsbn data check                  checksums of all files that are here
  tsbn data list --json            the same for a program

Set TSBN_DATA to a folder to read files from there instead of fetching them.
"""

from __future__ import annotations

from typing import Annotated, Any

import tyro

from tsbn import datasets
from tsbn.cli import UsageError
from tsbn.cli.arguments import Flag, print_json
from tsbn.data import download

Name = Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]
Names = Annotated[tuple[str, ...], tyro.conf.Positional, tyro.conf.arg(metavar="NAME")]


def list_(json: Flag = False) -> None:
    """Every data set, whether its files are here, and what it is.

    Args:
        json: Print one JSON list, for a program to read.
    """
    rows = [_summary(datasets.about(name)) for name in datasets.names()]
    if json:
        print_json(rows)
        return
    for row in rows:
        print(f"{row['name']:<12} {row['state']:<9} {row['summary']}")


def fetch(names: Names, /, accept_changed: Flag = False, json: Flag = False) -> None:
    """Fetch data sets into the cache, each file verified by its checksum.

    Args:
        names: Which data sets; `tsbn data list` shows them.
        accept_changed: Keep a file whose checksum is not the one on record, as when its home has revised it.
        json: Print where the files are as JSON.
    """
    if not names:
        raise UsageError("fetch what? give one name or more, such as: tsbn data fetch jsb")
    wanted = [_about(name) for name in names]
    where = {
        dataset.name: [str(path) for path in download.fetch(dataset.files, accept_changed=accept_changed)]
        for dataset in wanted
    }
    if json:
        print_json(where)
        return
    for name, paths in where.items():
        print(
            f"{name}: {len(paths)} files in {download.data_folder() or download.cache_folder()}"
            if paths
            else f"{name}: built in, nothing to fetch"
        )


def describe(name: Name, /, json: Flag = False) -> None:
    """Where a data set comes from, its terms and options, and (if its files are here) what is in it.

    Args:
        name: Which data set; `tsbn data list` shows them.
        json: Print what is known of it as JSON, without loading it.
    """
    dataset = _about(name)
    known = _summary(dataset) | {
        "home": dataset.home,
        "terms": dataset.terms,
        "citation": dataset.citation,
        "notes": dataset.notes,
        "options": {option: repr(given.default) for option, given in dataset.options.items()},
        "files": [{"path": file.path, "sha256": file.sha256, "urls": file.urls} for file in dataset.files],
    }
    if json:
        print_json(known)
        return
    options = ", ".join(f"{option}={default}" for option, default in known["options"].items())
    print(f"{dataset.name}: {dataset.summary}")
    for title in ("home", "terms", "citation", "notes"):
        if known[title]:
            print(f"  {title}: {known[title]}")
    print(f"  options: {options or 'none'}")
    print(f"  files: {len(dataset.files)}, {known['state']}\n")
    if known["state"] in ("here", "built in"):
        print(datasets.load(name).describe())
    else:
        print(f"To have it: tsbn data fetch {name}")


def check(names: Names = (), /, json: Flag = False) -> int:
    """Compare checksums; exit code 1 if a file is damaged, or if a data set that is named lacks files.

    Args:
        names: Which data sets; all if none is named.
        json: Print the state of every file as JSON: ok, changed (and accepted), damaged or missing.
    """
    wanted = [_about(name) for name in names or datasets.names()]
    states = {dataset.name: {file.path: download.check(file) for file in dataset.files} for dataset in wanted}
    bad = {"damaged", "missing"} if names else {"damaged"}
    if json:
        print_json(states)
    else:
        for name, files in states.items():
            print(f"{name:<12} {_counts(list(files.values()))}")
            for path, state in files.items():
                if state in bad:
                    print(f"  {state}: {path}")
    return int(any(state in bad for files in states.values() for state in files.values()))


COMMAND = {"list": list_, "fetch": fetch, "describe": describe, "check": check}


def _about(name: str) -> datasets.DataSet:
    try:
        return datasets.about(name)
    except ValueError as error:
        raise UsageError(str(error)) from None


def _summary(dataset: datasets.DataSet) -> dict[str, Any]:
    present = [download.find(file).is_file() for file in dataset.files]
    state = "built in" if not present else "here" if all(present) else "in part" if any(present) else "not here"
    return {"name": dataset.name, "state": state, "summary": dataset.summary}


def _counts(states: list[str]) -> str:
    found = [f"{states.count(state)} {state}" for state in ("ok", "changed", "damaged", "missing") if state in states]
    return ", ".join(found) or "built in"
