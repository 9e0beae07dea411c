#!/usr/bin/python3
"""Gradient boosting by scikit-learn's HistGradientBoostingClassifier, as Debian has it."""

import driver

me = driver.Driver("histograms", "histograms: gradient boosting by scikit-learn; models that are independent.")
me.whole("--rows", 20000, 200, 10**7, "rows that a model learns from")
me.whole("--trees", 15, 1, 1000, "trees of each model")
me.whole("--models", 4, 1, 1000, "models, each of a sample of its own")
given = me.read()
me.python(driver.DEBIANS, "numpy", "sklearn", libraries=driver.openblas())

import numpy as np  # noqa: E402
from balls import models  # noqa: E402
from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: E402


def learned(rows: np.ndarray, classes: np.ndarray, unseen: np.ndarray) -> np.ndarray:
    how = {"learning_rate": 0.3, "early_stopping": False, "random_state": 1}
    return HistGradientBoostingClassifier(max_iter=given.trees, **how).fit(rows, classes).predict_proba(unseen)[:, 1]


# Each histogram is made by one thread, so all bits are the same for each team.
models(me, given, learned)
