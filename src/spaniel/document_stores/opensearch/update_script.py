"""The script that changes metadata on the server."""

UPDATE = """
if (params.again) {
  boolean changed = true;
  for (entry in params.meta.entrySet()) {
    if (ctx._source[entry.getKey()] != entry.getValue()) { changed = false; }
  }
  if (changed) {
    ctx.op = 'noop';
    return;
  }
}
for (entry in params.meta.entrySet()) {
  ctx._source[entry.getKey()] = entry.getValue();
}
if (params.marks != null) {
  List kept = new ArrayList();
  if (ctx._source.containsKey('__marks')) {
    for (mark in ctx._source['__marks']) {
      String path = mark.substring(mark.indexOf(' ') + 1);
      boolean replaced = false;
      for (key in params.meta.keySet()) {
        if (path == key || path.startsWith(key + '.')) { replaced = true; }
      }
      if (!replaced) { kept.add(mark); }
    }
  }
  kept.addAll(params.marks);
  Collections.sort(kept);
  ctx._source['__marks'] = kept;
}
"""
"""Merges ``params.meta`` into the document. What it says of its values (see `mapping.marks`) is brought up to date.

With ``params.again``, documents that have it all already are left as they are, and don't count.

Metadata comes in as parameters, so no value becomes code.
"""
