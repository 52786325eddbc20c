"""STUB"""


def filter_query(f, fields):
    if "conditions" in f:
        k = {"AND": "filter", "OR": "should", "NOT": "must_not"}[f["operator"]]
        return {"bool": {k: [filter_query(c, fields) for c in f["conditions"]]}}
    n = f["field"].removeprefix("meta.")
    v = f["value"]
    op = f["operator"]
    if op == "==":
        return {"term": {n: v}}
    if op == "!=":
        return {"bool": {"must_not": [{"term": {n: v}}]}}
    if op == "in":
        return {"terms": {n: v}}
    return {"range": {n: {{">": "gt", ">=": "gte", "<": "lt", "<=": "lte"}[op]: v}}}
