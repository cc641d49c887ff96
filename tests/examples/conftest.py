import sys
from pathlib import Path

# The demo is a script: its folder, not a package, is where its parts are found.
sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
