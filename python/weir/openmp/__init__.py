"""What OpenMP's constructs cost on each runtime: `weir bench openmp` (the suite of Bull 1999).

May use: base.
"""
