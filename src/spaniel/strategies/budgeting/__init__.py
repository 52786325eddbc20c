"""The most score within a budget of tokens: hit, window, section or whole document. Read `context_budget` first."""

from spaniel.strategies.budgeting.context_budget import ORDERS, context_budget
from spaniel.strategies.budgeting.units import WORTH

__all__ = ["ORDERS", "WORTH", "context_budget"]
