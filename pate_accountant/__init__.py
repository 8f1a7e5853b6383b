"""Compute the privacy cost of PATE: its epsilon from votes, or before there are any."""
