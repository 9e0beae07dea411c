#!/usr/bin/python3
"""Cross-validation by scikit-learn, as its wheel has it: threads of Python meet those of OpenMP and of OpenBLAS."""

import driver

me = driver.Driver("folds", "folds: cross-validation by scikit-learn.", pool="OpenMP, and of OpenBLAS")
me.whole("--rows", 6000, 200, 10**7, "of each fold's data")
me.whole("--trees", 12, 1, 1000, "of a model")
me.whole("--folds", 8, 2, 1000, "models, each of principal components and trees")
given = me.read()
me.python(driver.VENV, "numpy", "sklearn", "threadpoolctl", variables={"OMP_NUM_THREADS": str(me.pool)})

import numpy as np  # noqa: E402
from balls import FEATURES, MARGIN, sample  # noqa: E402
from sklearn.decomposition import PCA  # noqa: E402
from sklearn.ensemble import HistGradientBoostingClassifier  # noqa: E402
from threadpoolctl import threadpool_limits  # noqa: E402

threadpool_limits(me.pool, user_api="blas")
SCALE = 4.0  # of the features that matter, so that the first principal components are these
WIDE = 4 * FEATURES


def data(fold: int) -> tuple[np.ndarray, np.ndarray]:
    """Features that matter, hidden among others by a rotation."""
    rows, classes = sample(given.rows, fold)
    wide = np.random.default_rng(fold).standard_normal((given.rows, WIDE))
    wide[:, :4] = SCALE * rows[:, :4]
    return wide @ ROTATION, classes


def validated(rows: np.ndarray, classes: np.ndarray) -> float:
    """The part of the last fifth about which a model of the others is right."""
    known = len(rows) * 4 // 5
    reduced = PCA(FEATURES, svd_solver="covariance_eigh").fit(rows[:known])
    how = {"learning_rate": 0.3, "early_stopping": False, "random_state": 1}
    model = HistGradientBoostingClassifier(max_iter=given.trees, **how)
    model.fit(reduced.transform(rows[:known]), classes[:known])
    return float((model.predict(reduced.transform(rows[known:])) == classes[known:]).mean())


ROTATION = np.linalg.qr(np.random.default_rng(0).standard_normal((WIDE, WIDE)))[0]
folds = [data(fold) for fold in range(given.folds)]
found = me.timed([lambda fold=fold: validated(*fold) for fold in folds])
# Components may differ in their last digits, and so a few answers: the result has none of them.
me.finish(
    f"{given.folds} folds of {given.rows} rows",
    [f"fold {number} is right about {part:.3f}" for number, part in enumerate(found) if not part >= MARGIN - 0.1],
)
