"""Records what each member of an OpenMP program computes between its synchronising calls: `weir trace`.

May use: base, profile.
"""
