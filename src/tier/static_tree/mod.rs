//! Static quadtree.
