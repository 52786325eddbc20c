"""STUB"""


def default_mapping(dim, method, nested):
    e = {"type": "knn_vector", "dimension": dim}
    if method:
        e["method"] = method
    return {
        "properties": {
            "id": {"type": "keyword"},
            "content": {"type": "text"},
            "embedding": e,
            "__kept": {"type": "object", "enabled": False},
        },
        "date_detection": False,
        "dynamic_templates": [{"strings": {"match_mapping_type": "string", "mapping": {"type": "keyword"}}}],
    }
