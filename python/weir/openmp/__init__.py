"""What OpenMP's constructs cost on each runtime: `weir bench openmp` (the suite of paper 003).

May use: base.
"""
