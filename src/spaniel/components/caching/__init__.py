"""What is there already need not be made again."""

from spaniel.components.caching.cache_checker import CacheChecker

__all__ = ["CacheChecker"]
