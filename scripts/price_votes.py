"""Price a person's own votes: python -m scripts.price_votes votes.npy --layout teachers,queries --mechanism ..."""

from lib.core.command import run
from pate_accountant.command import main

if __name__ == "__main__":
    run(main)
