"""Order of writers in a local store: the folder lock between processes, the write queue within one."""
