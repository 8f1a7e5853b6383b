"""The project's own configuration, for tests that change it."""

import json
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
# through JSON, so that blocks which YAML merges share no list: changing one must not change another
CONFIG = json.loads(json.dumps(yaml.safe_load((ROOT / "config.yaml").read_text(encoding="utf-8"))))
