"""What helps to develop Spaniel, and is not part of the package."""
