"""What barriers cost across processes: `weir bench mpi` (the figures of paper 004).

May use: base.
"""
