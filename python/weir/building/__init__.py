"""`weir build`: what a package cannot contain because it depends on the machine.

May use: base.
"""
