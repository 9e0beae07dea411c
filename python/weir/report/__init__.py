"""Draws records as one page: `weir report`. Only `subjects` names what a page can be about.

May use: base.
"""
