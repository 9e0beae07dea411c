#!/usr/bin/python3
"""Queries of a data frame by Polars, whose threads are those of Rust's rayon, one pool in a process."""

import driver

me = driver.Driver("frames", "frames: queries of a data frame by Polars.", pool="Polars")
me.whole("--rows", 200000, 100, 10**8, "of the frame")
me.whole("--queries", 40, 1, 10**6, "calls")
given = me.read()
me.python(driver.VENV, "numpy", "polars", variables={"POLARS_MAX_THREADS": str(me.pool)})

import numpy as np  # noqa: E402
import polars as pl  # noqa: E402
import sales  # noqa: E402

table = sales.columns(given.rows)
frame = pl.DataFrame(table)
shops = pl.DataFrame({"shop": np.arange(sales.SHOPS), "region": sales.regions()})


def answered(since: int) -> np.ndarray:
    wanted = (
        frame.lazy()
        .filter(pl.col("day") >= since)
        .join(shops.lazy(), on="shop")
        .group_by("region", "day")
        .agg(pl.len().cast(pl.Int64).alias("sales"), pl.col("price").sum().alias("sum"), pl.col("price").max())
        .sort("region", "day")
    )
    return wanted.collect().to_numpy()


since = [number * 37 % 100 for number in range(given.queries)]
found = me.timed([lambda day=day: answered(day) for day in since])
me.finish(sales.result(found, given.rows), sales.wrong(found, table, since))
