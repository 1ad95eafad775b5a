# Made by tools/make_python_docs.py. Do not edit: run ./dev docs.
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from ._transform import Inverter, Spectral

class PCA(Spectral, Inverter):
    n_components: Union[int, float, str, None]
    copy: bool
    whiten: Union[bool, str]
    svd_solver: str
    tol: float
    iterated_power: Union[int, str]
    n_oversamples: int
    power_iteration_normalizer: str
    random_state: Any
    tolerance: Union[float, str]
    certify: str
    center: bool
    scale: Union[bool, str]
    operator: str
    solver: str
    precision: str
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        copy: bool = ...,
        whiten: Union[bool, str] = ...,
        svd_solver: str = ...,
        tol: float = ...,
        iterated_power: Union[int, str] = ...,
        n_oversamples: int = ...,
        power_iteration_normalizer: str = ...,
        random_state: Any = ...,
        tolerance: Union[float, str] = ...,
        certify: str = ...,
        center: bool = ...,
        scale: Union[bool, str] = ...,
        operator: str = ...,
        solver: str = ...,
        precision: str = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    def inverse_transform(self, X: Any) -> np.ndarray: ...
    @property
    def components_(self) -> np.ndarray: ...
    @property
    def mean_(self) -> np.ndarray: ...
    @property
    def explained_variance_(self) -> np.ndarray: ...
    @property
    def singular_values_(self) -> np.ndarray: ...
    @property
    def n_components_(self) -> int: ...
    @property
    def noise_variance_(self) -> float: ...
    def get_covariance(self) -> np.ndarray: ...
    def get_precision(self) -> np.ndarray: ...
    def score_samples(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = ...) -> float: ...
