#!/usr/bin/python3
"""Queries of a table by DuckDB, whose databases have a pool of threads each."""

import driver

me = driver.Driver(
    "queries", "queries: questions in SQL to DuckDB, by as many databases as callers.", pool="a database"
)
me.whole("--rows", 400000, 100, 10**8, "of the table")
me.whole("--queries", 60, 1, 10**6, "calls, which the databases divide")
given = me.read()
me.python(driver.VENV, "numpy", "duckdb")

import duckdb  # noqa: E402
import numpy as np  # noqa: E402
import sales  # noqa: E402

QUESTION = """
select region, day, count(*), sum(price)::bigint, max(price)
from sales join shops using (shop) where day >= ? group by region, day order by region, day
"""
table = sales.columns(given.rows)
shops = {"shop": np.arange(sales.SHOPS), "region": sales.regions()}


def database() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect(config={"threads": me.pool})
    for name, columns in (("sales", table), ("shops", shops)):
        made.register("given", columns)
        made.execute(f"create table {name} as select * from given")
        made.unregister("given")
    return made


databases = [database() for _ in range(me.threads)]
since = [number * 37 % 100 for number in range(given.queries)]


def answered(caller: int) -> list[np.ndarray]:
    """Of one database after another."""
    return [
        np.stack([*databases[caller].execute(QUESTION, [day]).fetchnumpy().values()], axis=1)
        for day in since[caller :: me.threads]
    ]


parts = me.timed([lambda caller=caller: answered(caller) for caller in range(me.threads)])
found = [parts[number % me.threads][number // me.threads] for number in range(given.queries)]
me.finish(sales.result(found, given.rows), sales.wrong(found, table, since))
