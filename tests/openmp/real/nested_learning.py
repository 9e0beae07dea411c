"""scikit-learn in several threads of Python at a time, each with regions of its own and with a BLAS that opens regions, too:
python nested_learning.py RESULTS.npz"""

import sys

import numpy as np
from joblib import Parallel, delayed, parallel_backend
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_classification
from sklearn.decomposition import PCA
from sklearn.ensemble import BaggingClassifier, HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import pairwise_distances_argmin
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

THREADS = 3


# KMeans sets the number of the BLAS's threads for the whole process, so only clusters are computed beside it.
def product(seed: int) -> float:
    a = np.random.default_rng(seed).standard_normal((220, 200))
    return float(np.linalg.norm(a @ a.T, 2))


def centres(seed: int) -> np.ndarray:
    points, _ = make_blobs(600, centers=4, n_features=6, random_state=seed)
    return np.sort(KMeans(4, n_init=1, random_state=seed).fit(points).cluster_centers_, axis=0)


x, y = make_classification(500, 20, n_informative=8, n_classes=3, random_state=1)
points, _ = make_blobs(800, centers=5, n_features=8, random_state=2)
with parallel_backend("threading", n_jobs=THREADS):
    clusters = GridSearchCV(KMeans(n_init=1, random_state=3), {"n_clusters": [2, 4, 5, 6]}, cv=3).fit(points)
    pipeline = make_pipeline(PCA(random_state=4), LogisticRegression(max_iter=300))
    linear = GridSearchCV(pipeline, {"pca__n_components": [4, 8, 16]}, cv=3).fit(x, y)
    trees = HistGradientBoostingClassifier(max_iter=2, random_state=5)
    boosted = GridSearchCV(trees, {"max_depth": [2, 3]}, cv=2).fit(x, y)
    bagged = BaggingClassifier(LogisticRegression(max_iter=200), n_estimators=6, n_jobs=THREADS, random_state=6).fit(x, y)
    products = Parallel(THREADS)(delayed(product)(seed) for seed in range(9))
    of_clusters = Parallel(THREADS)(delayed(centres)(seed) for seed in range(9))
    nearest = Parallel(THREADS)(delayed(pairwise_distances_argmin)(points + i, points) for i in range(6))
np.savez(
    sys.argv[1],
    clusters=clusters.best_params_["n_clusters"],
    components=linear.best_params_["pca__n_components"],
    boosted=boosted.cv_results_["mean_test_score"],
    nearest=np.array(nearest),
    cluster_scores=clusters.cv_results_["mean_test_score"],
    linear_scores=linear.cv_results_["mean_test_score"],
    bagged=bagged.predict_proba(x),
    norms=np.array(products),
    centres=np.array(of_clusters),
)
