"""STUB, replaced by the filters branch."""

from dataclasses import dataclass


@dataclass
class Sorted:
    path: str
    type: str


class Fields:
    def __init__(self, properties):
        self.properties = properties
        self.nested = {n for n, p in properties.items() if p.get("type") == "nested"}
        self.id_order = "id"

    def knows(self, name):
        return name.removeprefix("meta.") in self.properties

    def searches_text(self, name):
        return self.properties.get(name, {}).get("type") == "text"

    def sorted_by(self, name):
        name = name.removeprefix("meta.")
        p = self.properties.get(name)
        return Sorted(name, p["type"]) if p else None
