"""Price a person's own votes: python -m scripts.price_votes votes.npy --layout teachers,queries --mechanism ..."""

from lib.core.command import run
from lib.pricing.command import main

if __name__ == "__main__":
    run(main)
