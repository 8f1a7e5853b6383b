"""Every tampering, tried: what the folder shows fails, and the rest with a signature."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import sign_release
from tests.release.tamperings import FAKE, TAMPERINGS, Scene, passes

pytestmark = pytest.mark.slow
README = Path(__file__).resolve().parents[2] / "lib" / "release" / "README.md"
# shown by the signature, and by nothing else
SIGNATURE_ALONE = {
    "no released epsilon, and no draw of it",
    "fewer orders",
    "another name of the ensemble",
    "another licence",
    "another commit",
}
# shown by the public samples, if they are at hand; the run's records show these, too, and all but those above
BY_SAMPLES = {
    "another digest of the public samples",
    "other weights",
    "a better accuracy",
    "another fingerprint of the samples",
    "samples of another form",
    "more public samples",
}
SECONDS = 30  # in which every check of a release has an end


@pytest.fixture(scope="module")
def scene(original, tmp_path_factory) -> Iterator[Scene]:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(original.root)
        yield Scene.of(original, tmp_path_factory.mktemp("tampered"))


@pytest.fixture
def in_time() -> Iterator[None]:
    def end(number, frame):
        raise TimeoutError(f"no end in {SECONDS} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("tampering", TAMPERINGS, ids=lambda tampering: f"{tampering.file}: {tampering.what}")
def test_a_tampering_is_seen_or_needs_the_signature(scene, tampering, in_time, capsys):
    folder = scene.copied(tampering.forest)
    tampering.apply(folder)
    assert not passes(folder, "--signer", str(scene.allowed))
    assert passes(folder) != tampering.visible
    printed = capsys.readouterr().out
    assert f"\n{FAKE}" not in printed and "Traceback" not in printed
    if not tampering.visible:
        assert "consistent; author not checked" in printed
        seen = {
            *(["samples"] * (tampering.what in BY_SAMPLES)),
            *(["run"] * (tampering.what not in SIGNATURE_ALONE)),
        }
        assert scene.seen_by(folder) == seen
        # signed again, by a stranger
        sign_release.main(["--folder", str(folder), "--key", str(scene.forged)])
        assert passes(folder) and not passes(folder, "--signer", str(scene.allowed))


def test_the_tamperings_differ():
    assert len({(each.file, each.what) for each in TAMPERINGS}) == len(TAMPERINGS)


def test_the_readme_counts_them():
    text = " ".join(README.read_text(encoding="utf-8").split())
    hidden = sum(not each.visible for each in TAMPERINGS)
    assert f"{len(TAMPERINGS)} forgeries" in text and f"show {len(TAMPERINGS) - hidden} of them" in text
    assert f"The other {hidden} agree with themselves" in text
    assert f"show {hidden - len(SIGNATURE_ALONE)} of these" in text
