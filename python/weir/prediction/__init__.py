"""What formulas predict for teams that share processors: `weir predict`.

May use: base.
"""
