"""The one way functions are compiled here, and where what was compiled is kept."""

from palacs.compiled._compiled_folder import folder, kept_functions
from palacs.compiled._compiling import (
    compiled,
    inlined,
    insisting,
    without_compiling,
)

__all__ = [
    "compiled",
    "folder",
    "inlined",
    "insisting",
    "kept_functions",
    "without_compiling",
]
