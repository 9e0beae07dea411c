"""Whether a program that runs would gain by Weir: `weir doctor`.

May use: base, info, run.
"""
