"""Runs scenarios in the simulator, and shows what came out: `weir simulate`.

May use: base, barriers, prediction.
"""
