"""Compares two files of records, series by series: `weir compare`.

May use: base.
"""
