"""The one way functions are compiled here, and where what was compiled is kept."""

from palacs.compiled._compiled_folder import distrusted, folder, kept_functions, places
from palacs.compiled._compiling import (
    compiled,
    inlined,
    insisting,
    without_compiling,
)

__all__ = [
    "compiled",
    "distrusted",
    "folder",
    "inlined",
    "insisting",
    "kept_functions",
    "places",
    "without_compiling",
]
