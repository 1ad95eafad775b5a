"""What the tests of the Python package share. MERCER_PROGRAM names the program; the package is on PYTHONPATH."""
import os
import warnings

import numpy as np
import pytest

warnings.filterwarnings("ignore", message="The attribute `coef_`")


@pytest.fixture
def program():
    path = os.environ.get("MERCER_PROGRAM")
    assert path and os.path.exists(path), "MERCER_PROGRAM names no program"
    return path


@pytest.fixture
def clouds():
    """Rows of three clouds in five columns, and their classes."""
    rng = np.random.default_rng(5)
    classes = np.arange(90) % 3
    return rng.standard_normal((90, 5)) + 4 * np.eye(3, 5)[classes], classes
