"""The commands of the command line, one file each.

The name of the file is the name of the command, the first line of its docstring its summary, and ``COMMAND``
what runs: a function, or a dict of functions by the name of the subcommand. A function's arguments are the
command's, and what it returns is the exit code (None is 0).
"""
