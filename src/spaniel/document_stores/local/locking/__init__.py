"""The order of writers: the folder lock between processes, the write queue within a process."""
