# ruff: noqa: A005 (the folders of the tests are named as those of the package)
