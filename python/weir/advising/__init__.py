"""Says how many threads and processors a program can use, and what to set: `weir advise`.

May use: base, openmp, profile, run, tracing.
"""
