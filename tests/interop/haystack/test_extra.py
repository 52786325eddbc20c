"""The extra that this package needs."""

import subprocess
import sys

CODE = """
import sys
sys.modules["haystack"] = None  # as if it were not installed
try:
    import spaniel.interop.haystack
except ImportError as error:
    print(error)
"""


def test_without_the_package_the_error_names_the_command():
    said = subprocess.run([sys.executable, "-c", CODE], check=True, capture_output=True, text=True).stdout

    assert "haystack-ai" in said
    assert "pip install 'spaniel[haystack]'" in said
