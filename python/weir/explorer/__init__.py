"""Checks a barrier in every schedule of a small team: `weir explore`.

May use: base.
"""
