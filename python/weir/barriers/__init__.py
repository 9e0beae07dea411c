"""What barriers of threads cost: `weir bench`.

May use: base.
"""
