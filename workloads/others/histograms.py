#!/usr/bin/python3
"""Gradient boosting by scikit-learn's HistGradientBoostingClassifier, as Debian has it."""

import driver

me = driver.Driver("histograms", "histograms: gradient boosting by scikit-learn; models that are independent.")
me.whole("--rows", 20000, 200, 10**7, "rows that a model learns from")
me.whole("--trees", 15, 1, 1000, "trees of each model")
me.whole("--models", 4, 1, 1000, "models, each of a sample of its own")
given = me.read()
me.python(driver.DEBIANS, "numpy", "sklearn", libraries=driver.openblas())

import hashlib  # noqa: E402

import numpy as np  # noqa: E402
from balls import MARGIN, sample  # noqa: E402
from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: E402

unseen, belongs = sample(2000, 0)
samples = [sample(given.rows, seed) for seed in range(1, given.models + 1)]


def learned(rows: np.ndarray, classes: np.ndarray) -> np.ndarray:
    how = {"learning_rate": 0.3, "early_stopping": False, "random_state": 1}
    return HistGradientBoostingClassifier(max_iter=given.trees, **how).fit(rows, classes).predict_proba(unseen)[:, 1]


found = me.timed([lambda its=its: learned(*its) for its in samples])
right = [float(((said > 0.5) == belongs).mean()) for said in found]
# Each histogram is made by one thread, so all bits are the same for each team.
digest = hashlib.sha256(b"".join(said.tobytes() for said in found)).hexdigest()[:16]
me.finish(
    f"{given.models} models of {given.rows} rows, right about {' '.join(f'{part:.4f}' for part in right)}, {digest}",
    [f"model {k} is right about {its:.4f} of what it has not seen" for k, its in enumerate(right) if not its >= MARGIN],
)
