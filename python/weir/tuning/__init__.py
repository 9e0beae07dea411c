"""Measures which barriers are faster on this machine than those that Weir takes, and writes its profile: `weir tune`.

May use: base, barriers, simulation.
"""
