//! Loose/tight double grid.
