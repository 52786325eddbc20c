"""Components that join several inputs."""

from spaniel.components.joiners.branch import BranchJoiner
from spaniel.components.joiners.document_joiner import DocumentJoiner, JoinMode
from spaniel.components.joiners.list_joiner import ListJoiner
from spaniel.components.joiners.string_joiner import StringJoiner

__all__ = ["BranchJoiner", "DocumentJoiner", "JoinMode", "ListJoiner", "StringJoiner"]
