"""What Weir sees of this machine: `weir info`.

May use: base.
"""
