"""Make the slow twins importable as `reference`, and the search for counter-examples repeatable."""

import sys
from pathlib import Path

from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))
settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.load_profile("repeatable")
