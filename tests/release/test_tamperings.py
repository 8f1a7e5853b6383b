"""Every tampering of the committed page, tried: what the folder shows fails, and the rest with a signature."""

import signal
from collections.abc import Iterator

import pytest

from scripts import sign_release
from tests.release.tamperings import FAKE, PAGE, TAMPERINGS, Scene, page, passes

pytestmark = pytest.mark.slow
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


@pytest.fixture(scope="module")
def rows() -> list[tuple[str, str, str, str]]:
    return []


@pytest.mark.parametrize("tampering", TAMPERINGS, ids=lambda tampering: f"{tampering.file}: {tampering.what}")
def test_a_tampering_is_seen_or_needs_the_signature(scene, rows, tampering, in_time, capsys):
    row = scene.row(tampering)
    rows.append(row)
    assert bool(row[2]) == tampering.visible
    folder = scene.copied(tampering.forest)
    tampering.apply(folder)
    assert not passes(folder, "--signer", str(scene.allowed))
    assert passes(folder) != tampering.visible
    printed = capsys.readouterr().out
    assert f"\n{FAKE}" not in printed and "Traceback" not in printed
    if not tampering.visible:
        assert "consistent; author not checked" in printed
        # signed again, by a stranger
        sign_release.main(["--folder", str(folder), "--key", str(scene.forged)])
        assert passes(folder) and not passes(folder, "--signer", str(scene.allowed))


def test_the_committed_page_is_of_these(rows):
    if len(rows) < len(TAMPERINGS):
        pytest.skip("of all tamperings together")
    assert PAGE.read_text(encoding="utf-8") == page(rows)


def test_the_tamperings_differ():
    assert len({(each.file, each.what) for each in TAMPERINGS}) == len(TAMPERINGS)
