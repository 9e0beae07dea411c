"""What both drivers of gradient boosting share: two classes to tell apart, the inside and the outside of a ball among
features of noise; and the times and checks of models that do."""

import argparse
import hashlib
from collections.abc import Callable
from typing import NoReturn

import driver
import numpy as np

FEATURES = 24
MARGIN = 0.9  # of rows that a model must be right about. A model that has learned nothing is right about half of them.


def sample(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    found = random.standard_normal((rows, FEATURES))
    outside = (found[:, :4] ** 2).sum(axis=1) > 3.357  # the median of chi square with four degrees of freedom
    return found, outside.astype(np.int32)


def models(
    me: driver.Driver,
    given: argparse.Namespace,
    learned: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray],
) -> NoReturn:
    """Times models that are independent, and ends the program. `learned(rows, classes, unseen)`: what a model says of
    rows that it has not seen."""
    unseen, belongs = sample(2000, 0)
    samples = [sample(given.rows, seed) for seed in range(1, given.models + 1)]
    found = me.timed([lambda known=known: learned(*known, unseen) for known in samples])
    right = [float(((said > 0.5) == belongs).mean()) for said in found]
    digest = hashlib.sha256(b"".join(said.tobytes() for said in found)).hexdigest()[:16]
    parts = " ".join(f"{part:.4f}" for part in right)
    me.finish(
        f"{given.models} models of {given.rows} rows, right about {parts}, {digest}",
        [
            f"model {k} is right about {part:.4f} of what it has not seen"
            for k, part in enumerate(right)
            if not part >= MARGIN
        ],
    )
