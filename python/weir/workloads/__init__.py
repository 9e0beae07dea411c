"""Whole programs on their own OpenMP runtime and on Weir's: `weir bench workloads`.

May use: base, openmp, profile, run.
"""
