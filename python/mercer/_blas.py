"""Which kernels OpenBLAS uses is settled when it is loaded, by the model of the processor; a processor newer than the
library gets those of 2004. OPENBLAS_CORETYPE in the environment overrules that, if it is set before: so the choice is
looked at in a child process first, where NumPy has not loaded the library already.
"""
from __future__ import annotations

import os
import sys
import threading

from ._errors import MercerWarning, issue


def _asked_in_child() -> str:
    """The kernels that would be better than those OpenBLAS chooses here, or ""."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.environ["OPENBLAS_NUM_THREADS"] = "1"
            from . import _native
            os.write(writer, _native.blas()["better"].encode())
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as answer:
        text = answer.read().decode()
    os.waitpid(child, 0)
    return text


def prepare() -> None:
    """Before the module below is loaded: asks for better kernels where nobody has chosen any."""
    chosen = "OPENBLAS_CORETYPE" in os.environ or os.environ.get("MERCER_BLAS") == "keep"
    loaded = "numpy.core._multiarray_umath" in sys.modules or "numpy._core._multiarray_umath" in sys.modules
    if chosen or loaded or threading.active_count() > 1 or not hasattr(os, "fork"):
        return
    try:
        better = _asked_in_child()
    except OSError:  # no process to be had
        return
    if better:
        os.environ["OPENBLAS_CORETYPE"] = better


def check(better: str, kernels: str) -> None:
    """After it was loaded: a warning where the kernels are not those that the processor deserves."""
    if not better or os.environ.get("MERCER_BLAS") == "keep":
        return
    issue(MercerWarning(
        f"OpenBLAS was loaded with kernels of an older processor ({kernels}): import mercer before NumPy, or set "
        f"OPENBLAS_CORETYPE={better} in the environment before Python starts", "W802"))
