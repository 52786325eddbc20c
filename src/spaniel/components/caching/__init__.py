"""Look-up of items that are already stored."""

from spaniel.components.caching.cache_checker import CacheChecker

__all__ = ["CacheChecker"]
