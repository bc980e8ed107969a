"""``python -m tsbn`` is the command line ``tsbn``."""

import sys

from tsbn.cli import main

sys.exit(main())
