"""Make the slow twins importable as `reference`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
