"""`weir build`: what cannot come ready-made, since it depends on what this machine has.

May use: base.
"""
