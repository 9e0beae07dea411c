"""What all subjects stand on: the native programs, records, statistics, the terminal, the parts of a page.

May use: nothing.
"""
