"""Whose networks a membership attack needs."""

SIDES = ("target", "shadow")  # the model under attack, and one like it that the attacker trains
