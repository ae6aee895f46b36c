"""The one way functions are compiled here, and where what was compiled is kept."""

from palacs.compiled._compiled_folder import distrusted, folder, kept_functions, places
from palacs.compiled._compiling import (
    compiled,
    inlined,
    insisting,
    without_compiling,
)

# Up to so many features loops are faster than matrix products, and exact. It stands here because
# a constant that is compiled belongs into a file that counts as compiled.
LOOP_FEATURES = 24

__all__ = [
    "LOOP_FEATURES",
    "compiled",
    "distrusted",
    "folder",
    "inlined",
    "insisting",
    "kept_functions",
    "places",
    "without_compiling",
]
