"""Make the slow twins importable as `reference`; let properties be searched the same way, however long it takes."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
