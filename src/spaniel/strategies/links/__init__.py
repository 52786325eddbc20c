"""Links between documents, followed hop by hop. The entry point is `follow_links`."""

from spaniel.strategies.links.follow_links import follow_links
from spaniel.strategies.links.link import LinkDirection
from spaniel.strategies.links.selection import DEFAULT_SAMPLING, SamplingDimension

__all__ = ["DEFAULT_SAMPLING", "LinkDirection", "SamplingDimension", "follow_links"]
