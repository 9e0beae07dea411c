"""Where an OpenMP program's synchronization time goes: its directives, counted and priced: `weir profile`.

May use: base, openmp.
"""
