"""OpenMP's constructs on simulated machines: `weir simulate openmp`."""
