"""Membership attacks on networks: data, shadows, attackers and their scores."""

SIDES = ("target", "shadow")  # whose networks are trained: the model under attack, and the attacker's own
