"""How far below its bound a norm is clipped."""

# A hair below it, or else rounding in single precision would leave norms above it.
SLACK = 1e-5
