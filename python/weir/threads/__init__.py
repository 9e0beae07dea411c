"""The experiments of Markatos et al. 1991 on this machine: `weir bench threads`.

More threads than processors, measured on user-level members and on kernel threads, simulated with this machine's
costs, and predicted.

May use: base, barriers, prediction, simulation.
"""
