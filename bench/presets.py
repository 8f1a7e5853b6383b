"""Where the project is, and the configuration files of its presets."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def preset_files(preset: str) -> list[Path]:
    """Return the configuration files laid over config.yaml for a preset."""
    return [] if preset == "quick" else [ROOT / "presets" / f"{preset}.yaml"]
