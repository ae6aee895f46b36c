"""One decision over instances that lie on the workers of a Dask cluster.

Each worker holds a part of the labelled set as an array of its own and sums over it; the sums
travel, the instances stay. What is decided is what one machine with all of them would decide.
"""

from palacs.extras import need

need("dask", "palacs.cluster")

from palacs.cluster._on_cluster import query

__all__ = ["query"]
