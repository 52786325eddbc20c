"""Recursive retrieval: documents that the metadata of others points to, hop by hop. Read `follow` first."""

from spaniel.strategies.links.follow_links import follow_links
from spaniel.strategies.links.link import DIRECTIONS, LinkDirection, list_link_values
from spaniel.strategies.links.selection import DEFAULT_SAMPLING, SamplingDimension

__all__ = ["DEFAULT_SAMPLING", "DIRECTIONS", "LinkDirection", "SamplingDimension", "follow_links", "list_link_values"]
