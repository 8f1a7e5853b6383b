"""Sign a release: python -m scripts.sign_release --folder DIR --key KEY"""

from pathlib import Path

from lib.core import command
from lib.core.errors import InputError
from lib.release.files import SIGNATURE
from lib.release.signature import sign
from lib.release.statement import LARGEST_EPSILON
from lib.release.verify import verify


@command.command
def main(folder: Path, key: Path, largest_epsilon: float = LARGEST_EPSILON) -> None:
    """Write the signature beside the checksums.

    folder: the release, which must be without a fault. key: an OpenSSH key, private, or public where an agent has it.
    largest_epsilon: above which nothing may be announced.
    """
    _, checks = verify(folder, largest_epsilon)
    if faults := [fault for check in checks for fault in check.faults]:
        raise InputError(f"{folder}: not signed, since {faults[0]}")
    sign(folder, key)
    print(f"{folder / SIGNATURE}: written")


if __name__ == "__main__":
    command.run(main)
