"""Check a release: python -m scripts.verify_release --folder DIR"""

import sys
from pathlib import Path

from lib.core import command
from lib.core.errors import InputError
from lib.core.files import write_json
from lib.release.files import SIGNATURE, SUMS
from lib.release.rebuild import check_run, check_samples
from lib.release.signature import signer as signer_of
from lib.release.statement import LARGEST_EPSILON
from lib.release.verify import Check, verify


@command.command
def main(
    folder: Path,
    samples: Path | None = None,
    run: Path | None = None,
    signer: Path | None = None,
    largest_epsilon: float = LARGEST_EPSILON,
    report: Path | None = None,
) -> None:
    """Print a line a check and a line a fault; exit with status 1 if there is a fault.

    folder: the release. samples: the public samples, on which its accuracy is measured again. run: the folder that the
    workflow was started in, whose records are put together again. signer: a file of allowed signers, one of whom must
    have signed it. largest_epsilon: above which nothing may be announced. report: a JSON file to write of the checks.
    """
    content, checks = verify(folder, largest_epsilon)
    author = ""
    if not any(check.faults for check in checks):
        # of a release that is consistent alone: what follows trusts its form
        checks += [_tried("samples", check_samples, content, samples)] if samples else []
        checks += [_tried("run", check_run, content, run)] if run else []
        if signer:
            signed = _tried("signature", _signed, content, signer)
            author = signed.found
            checks.append(signed)
    for check in checks:
        for fault in check.faults:
            print(_plain(f"FAULT  {check.name}: {fault}"))
        if not check.faults:
            print(_plain(f"ok     {check.name}: {check.found}"))
    if faults := sum(len(check.faults) for check in checks):
        print(f"{faults} fault{'s' * (faults != 1)}")
        sys.exit(1)
    verdict = f"consistent; {author}" if author else "consistent; author not checked"
    print(_plain(verdict))
    if report:
        rows = [{"check": check.name, "found": check.found} for check in checks]
        write_json(report, {"checks": rows, "verdict": verdict})


def _tried(name: str, check, content: dict[str, bytes], given: Path) -> Check:
    """A check whose files may themselves be none: that is a fault of it."""
    try:
        return check(content, given)
    except InputError as error:
        return Check(name, faults=[str(error)])


def _signed(content: dict[str, bytes], allowed: Path) -> Check:
    if SIGNATURE not in content:
        return Check("signature", faults=[f"{SIGNATURE}: missing, so nobody signed this release"])
    return Check("signature", f"signed by {signer_of(content[SUMS], content[SIGNATURE], allowed)}")


def _plain(text: str) -> str:
    """A line as a terminal may be sent it: names of a stranger's files may hold anything."""
    return "".join(char if char.isprintable() and char.isascii() else ascii(char)[1:-1] for char in text)


if __name__ == "__main__":
    command.run(main)
