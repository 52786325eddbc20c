"""Other packages' components and stores beside ours: one folder a package, each behind its extra."""
