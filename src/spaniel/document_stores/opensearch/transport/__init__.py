"""HTTP requests to a cluster: clients, retries, errors."""
