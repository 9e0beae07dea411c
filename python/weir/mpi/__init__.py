"""What barriers cost across processes: `weir bench mpi` (the figures of Bauskar and Sangle).

May use: base.
"""
