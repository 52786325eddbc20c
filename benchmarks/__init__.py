"""Measurements, side by side with other libraries: `make bench`. docs/performance.md shows and
explains the results.
"""
