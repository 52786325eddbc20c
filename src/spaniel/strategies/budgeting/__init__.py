"""The most score within a budget of tokens: hit, window, section or whole document. Read `context_budget` first."""

from spaniel.strategies.budgeting.context_budget import ORDERS, BudgetOrder, context_budget
from spaniel.strategies.budgeting.units import WORTH, UnitKind

__all__ = ["ORDERS", "WORTH", "BudgetOrder", "UnitKind", "context_budget"]
