"""The most score within a budget of tokens: hits, windows, sections or whole documents.

The entry point is `context_budget`.
"""

from spaniel.strategies.budgeting.context_budget import BudgetOrder, context_budget
from spaniel.strategies.budgeting.units import KIND_UTILITIES, UnitKind

__all__ = ["KIND_UTILITIES", "BudgetOrder", "UnitKind", "context_budget"]
