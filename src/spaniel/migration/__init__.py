"""The move from Haystack: its names in pipelines that are saved as YAML, and in Python code, turned into ours."""

from spaniel.migration.files import python_files, replace_file
from spaniel.migration.notes import Note
from spaniel.migration.python_code import MigratedCode, migrate_code
from spaniel.migration.yaml_text import ConvertedPipeline, convert_pipeline

__all__ = [
    "ConvertedPipeline",
    "MigratedCode",
    "Note",
    "convert_pipeline",
    "migrate_code",
    "python_files",
    "replace_file",
]
