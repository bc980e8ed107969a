"""The commands of the command line, one file each.

The name of the file is the name of the command, the first line of its docstring its summary, and ``COMMAND``
what runs: a function, a dict of functions by the name of the subcommand, or a dataclass with a method ``run``, whose
fields can also come from a file (``--config``). The arguments of a function are the command's, and what it returns is
the exit code (None is 0).
"""
