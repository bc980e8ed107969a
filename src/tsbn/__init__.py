"""Conditional generative models of sequences built from sigmoid belief networks."""

from tsbn import datasets
from tsbn.data import Sequences
from tsbn.datasets import load_motion

__all__ = ["Sequences", "datasets", "load_motion"]
