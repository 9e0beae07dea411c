"""The formulas beside the simulator and the measurements: `weir predict`."""
