"""A scenario that runs in a moment."""

SMALL = """
about = "A small one"
machine = "ideal"
processors = 2
[system]
quantum_us = 100
[[application]]
members = 3
barrier = "sense"
waiting = "spin"
barriers = 12
warmup = 2
compute_us = 30
distribution = "exponential"
[sweep]
"application.barrier" = ["sense", "mcs"]
"application.compute_us" = [30, 60]
[[chart]]
x = "application.compute_us"
y = "overhead"
color = "application.barrier"
"""
