"""The package as a wheel, tested on each Python version that this machine has.

Read `interpreters` (which versions there are), `wheel` (built once for all), `environment` (one for each version), then
`selection` (the tests that need no more than the package).
"""
