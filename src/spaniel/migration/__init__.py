"""Migration from Haystack: type names in saved pipelines, and names in Python programs."""

from spaniel.migration.files import python_files, replace_file
from spaniel.migration.pipeline_yaml import ConvertedPipeline, convert_pipeline
from spaniel.migration.python_code import MigratedCode, migrate_code
from spaniel.migration.source import Note

__all__ = [
    "ConvertedPipeline",
    "MigratedCode",
    "Note",
    "convert_pipeline",
    "migrate_code",
    "python_files",
    "replace_file",
]
