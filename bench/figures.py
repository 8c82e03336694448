"""What a bench prints for people, written beside it for programs."""

import json
import pathlib


def write(name, figures):
    """Writes out/bench/NAME.json."""
    folder = pathlib.Path(__file__).resolve().parents[1] / "out/bench"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
