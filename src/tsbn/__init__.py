"""Conditional generative models of sequences built from sigmoid belief networks."""
