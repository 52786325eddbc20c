"""The view ``documents``, by which any SQLite tool reads the documents as they were written."""

from spaniel.document_stores.local.database.rows import ATTACHMENT_COLUMNS, CONTENT

_ID = "CASE WHEN typeof({id}) = 'blob' AND length({id}) = 32 THEN lower(hex({id})) ELSE {id} END"
_META = f"""
CASE WHEN n.shape IS NULL THEN n.meta ELSE (
    SELECT json_group_object(key, json(value)) FROM (
        SELECT k.value ->> 0 AS key, CASE k.value ->> 1
            WHEN 'own' THEN n.meta -> CAST(k.value ->> 2 AS INTEGER)
            WHEN 'tree' THEN t.shared -> CAST(k.value ->> 2 AS INTEGER)
            WHEN 'siblings' THEN p.shared -> CAST(k.value ->> 2 AS INTEGER)
            WHEN 'shared' THEN n.shared -> CAST(k.value ->> 2 AS INTEGER)
            WHEN 'items' THEN (
                SELECT json_group_array(json(t.items -> CAST(text AS INTEGER))) FROM (
                    SELECT value AS text FROM json_each(n.meta -> CAST(k.value ->> 2 AS INTEGER)) ORDER BY key
                )
            )
            WHEN 'references' THEN (
                SELECT json_group_array(json_array(
                    json(r -> 0), json(r -> 1),
                    json(iif(json_type(r, '$[2]') = 'integer', t.items -> (r ->> 2), r -> 2)), json(r -> 3)
                )) FROM (
                    SELECT value AS r FROM json_each(n.meta -> CAST(k.value ->> 2 AS INTEGER)) ORDER BY key
                )
            )
            WHEN 'parent' THEN json_quote({_ID.format(id="p.id")})
            ELSE (
                SELECT json_group_array({_ID.format(id="id")}) FROM (
                    SELECT c.id FROM json_each(n.children) AS e JOIN nodes AS c ON c.slot = n.slot + e.value
                    ORDER BY e.key
                )
            ) END AS value
        FROM json_each(s.keys) AS k ORDER BY k.key
    )
) END
"""  # noqa: S608 (column names)

VIEW = f"""
CREATE VIEW documents AS
SELECT n.slot, {_ID.format(id="n.id")} AS id, n.searched, {_META} AS meta, {CONTENT} AS content,
    {", ".join(f"a.{name}" for name in ATTACHMENT_COLUMNS[1:])}
FROM nodes AS n LEFT JOIN shapes AS s ON s.number = n.shape LEFT JOIN trees AS t ON t.number = n.tree
LEFT JOIN nodes AS p ON p.slot = n.parent LEFT JOIN attachments AS a ON a.slot = n.slot
WHERE n.searched IS NOT NULL;
"""  # noqa: S608 (column names)
