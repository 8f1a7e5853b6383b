"""The exception for mistakes of whoever supplies the input: of the workflow and the accountant, one type."""

from pate_accountant.errors import InputError as InputError
