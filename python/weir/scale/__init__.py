"""Barriers of up to thousands of processes, on simulated clusters: `weir scale`.

May use: base, simulation.
"""
