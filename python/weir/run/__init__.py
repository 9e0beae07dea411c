"""Starts programs on Weir's runtime, or with its MPI barrier: `weir run`.

May use: base, openmp.
"""
