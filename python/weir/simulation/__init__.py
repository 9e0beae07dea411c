"""Runs scenarios, and OpenMP's constructs, in the simulator, and shows what came out: `weir simulate`.

May use: base, barriers, openmp, prediction.
"""
