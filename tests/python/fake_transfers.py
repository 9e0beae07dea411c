#!/usr/bin/env python3
"""A test double of weir-transfers. Where a file `far` holds how long a transfer takes then, the machine is far for ten
probes of twenty. What is measured learns from the file `state` what it is now."""

import json
import sys
from pathlib import Path

HERE = Path(__file__).parent
far = HERE / "far"
for number, line in enumerate(sys.stdin):
    if line.strip() == "quit":
        break
    is_far = far.exists() and number // 10 % 2 == 1
    (HERE / "state").write_text("far" if is_far else "near")
    print(json.dumps({"transfer_ns": (float(far.read_text()) if is_far else 45.0) + number % 5 / 2}), flush=True)
