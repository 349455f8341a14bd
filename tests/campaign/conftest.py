"""What the tests of the campaign share."""

from pathlib import Path

import pytest

from tests.campaign.material import make_material


@pytest.fixture(scope="session")
def campaign_material(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the material."""
    folder = tmp_path_factory.mktemp("material")
    make_material().save(folder)
    return folder
