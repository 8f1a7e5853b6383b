"""List the networks that a membership attack needs: the target's and the shadow's."""

SIDES = ("target", "shadow")  # the model under attack, and one like it that the attacker trains
