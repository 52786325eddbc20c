"""``python -m spaniel``: the command line."""

from spaniel.cli import main

if __name__ == "__main__":
    main()
