"""Slow, obvious twins of the product: double precision, whole matrices, straight from the formulas."""
