"""What formulas say of teams that share processors: `weir predict`.

May use: base.
"""
