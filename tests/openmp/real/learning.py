"""scikit-learn's loops with OpenMP: python learning.py RESULTS.npz"""

import sys

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_classification, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import pairwise_distances_argmin

x, y = make_classification(1500, 20, n_informative=8, n_classes=3, random_state=1)
classifier = HistGradientBoostingClassifier(max_iter=4, random_state=1).fit(x, y)
u, v = make_regression(1500, 15, noise=3, random_state=2)
regressor = HistGradientBoostingRegressor(max_iter=5, random_state=2).fit(u, v)
points, _ = make_blobs(2000, centers=7, n_features=5, random_state=3)
lloyd = KMeans(7, n_init=2, random_state=3, algorithm="lloyd").fit(points)
elkan = KMeans(7, n_init=2, random_state=3, algorithm="elkan").fit(points)
np.savez(
    sys.argv[1],
    probabilities=classifier.predict_proba(x),
    regression=regressor.predict(u),
    lloyd_labels=lloyd.labels_,
    elkan_labels=elkan.labels_,
    nearest=pairwise_distances_argmin(points, lloyd.cluster_centers_),
    lloyd_centres=lloyd.cluster_centers_,
    elkan_centres=elkan.cluster_centers_,
)
