"""Two classes for gradient boosting to tell apart: the inside and the outside of a ball, among features of noise."""

import numpy as np

FEATURES = 24
MARGIN = 0.9  # of rows that a model must be right about. A model that has learned nothing is right about half of them.


def sample(rows: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    found = random.standard_normal((rows, FEATURES))
    outside = (found[:, :4] ** 2).sum(axis=1) > 3.357  # the median of chi square with four degrees of freedom
    return found, outside.astype(np.int32)
