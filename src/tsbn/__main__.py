"""``python -m tsbn`` is the command line ``tsbn``."""

from tsbn.cli import process

process()
