"""Every picture, from data frames: the only room that imports matplotlib.

Each function returns a `matplotlib.figure.Figure` made without pyplot, so nothing global changes
and figures may be made in any thread; a notebook shows it. With ``ax=`` a picture of one panel is
drawn on axes of your own, which are returned; `learning_stages` and `look_inside` have several
panels and always make a figure. A strategy has the same colour in every picture.
`save` writes a figure as PNG and SVG, byte for byte the same each time.
"""

from palacs.extras import need

need("plots", "palacs.plots")

from matplotlib.figure import Figure

from palacs.plots._best_shares import best_shares
from palacs.plots._curves import learning_curves
from palacs.plots._data import learning_stages, scatter
from palacs.plots._errors_by_class import class_errors
from palacs.plots._intervals import difference_intervals
from palacs.plots._look_inside import look_inside
from palacs.plots._paper import differences, proportions
from palacs.plots._ranks import critical_difference
from palacs.plots._saving import save, to_svg
from palacs.plots._session import session_progress
from palacs.plots._style import class_color, strategy_color

__all__ = [
    "Figure",
    "best_shares",
    "class_color",
    "class_errors",
    "critical_difference",
    "difference_intervals",
    "differences",
    "learning_curves",
    "learning_stages",
    "look_inside",
    "proportions",
    "save",
    "scatter",
    "session_progress",
    "strategy_color",
    "to_svg",
]
