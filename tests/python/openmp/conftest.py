"""Programs that share the node, with a table of their own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ..openmp_programs import Builds
from ..sharing_programs import SHARING, Programs


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "table").mkdir(mode=0o700)
    return tmp_path / "table"


@pytest.fixture
def programs(environment: dict[str, str], builds: Builds, place: Path) -> Iterator[Programs]:
    own = {"OMP_NUM_THREADS": "4", "WEIR_SHARE": "node", "WEIR_SHARE_DIR": str(place), "WEIR_ADAPT": "false"}
    sharing = Programs(builds.get(SHARING), environment | own)
    yield sharing
    sharing.kill()
