# Made by tools/make_python_docs.py. Do not edit: run ./dev docs.
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from ._transform import Inverter, Spectral, Transformer

class Density(Inverter):
    def score_samples(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any = ...) -> float: ...
    def sample(self, n_samples: int = ..., random_state: Any = ...) -> np.ndarray: ...
    def impute(self, X: Any) -> np.ndarray: ...
    def get_covariance(self) -> np.ndarray: ...
    def get_precision(self) -> np.ndarray: ...
    @property
    def components_(self) -> np.ndarray: ...
    @property
    def mean_(self) -> np.ndarray: ...
    @property
    def noise_variance_(self) -> Any: ...

class ProbabilisticPCA(Density):
    n_components: Union[int, float, str, None]
    tolerance: Union[float, str]
    certify: str
    random_state: Any
    algorithm: str
    iterations: int
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
        tolerance: Union[float, str] = ...,
        certify: str = ...,
        random_state: Any = ...,
        algorithm: str = ...,
        iterations: int = ...,
        scale: Union[bool, str] = ...,
        operator: str = ...,
        solver: str = ...,
        precision: str = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...

class FactorAnalysis(Density):
    n_components: Union[int, float, str, None]
    tol: float
    copy: bool
    max_iter: Optional[int]
    noise_variance_init: Any
    svd_method: str
    iterated_power: Union[int, str]
    rotation: Optional[str]
    algorithm: str
    scoring: str
    scale: Union[bool, str]
    random_state: Any
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        tol: float = ...,
        copy: bool = ...,
        max_iter: Optional[int] = ...,
        noise_variance_init: Any = ...,
        svd_method: str = ...,
        iterated_power: Union[int, str] = ...,
        rotation: Optional[str] = ...,
        algorithm: str = ...,
        scoring: str = ...,
        scale: Union[bool, str] = ...,
        random_state: Any = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    @property
    def noise_variance_(self) -> np.ndarray: ...
    def get_covariance(self) -> np.ndarray: ...
    @property
    def loglike_(self) -> list: ...
    @property
    def n_iter_(self) -> int: ...

class FastICA(Inverter):
    n_components: Union[int, float, str, None]
    algorithm: str
    whiten: Union[bool, str]
    fun: str
    fun_args: Any
    max_iter: Optional[int]
    tol: float
    w_init: Any
    whiten_solver: str
    random_state: Any
    extended: bool
    restarts: int
    scale: Union[bool, str]
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        algorithm: str = ...,
        whiten: Union[bool, str] = ...,
        fun: str = ...,
        fun_args: Any = ...,
        max_iter: Optional[int] = ...,
        tol: float = ...,
        w_init: Any = ...,
        whiten_solver: str = ...,
        random_state: Any = ...,
        extended: bool = ...,
        restarts: int = ...,
        scale: Union[bool, str] = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    def inverse_transform(self, X: Any, copy: bool = ...) -> np.ndarray: ...
    @property
    def components_(self) -> np.ndarray: ...
    @property
    def mixing_(self) -> np.ndarray: ...
    @property
    def whitening_(self) -> np.ndarray: ...
    @property
    def mean_(self) -> np.ndarray: ...
    @property
    def n_iter_(self) -> int: ...

class KernelICA(Inverter):
    n_components: Union[int, float, str, None]
    contrast: str
    sigma: Union[float, str, None]
    kappa: float
    narrow: bool
    restarts: int
    iterations: int
    tolerance: Union[float, str]
    truth: str
    scale: Union[bool, str]
    random_state: Any
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        contrast: str = ...,
        sigma: Union[float, str, None] = ...,
        kappa: float = ...,
        narrow: bool = ...,
        restarts: int = ...,
        iterations: int = ...,
        tolerance: Union[float, str] = ...,
        truth: str = ...,
        scale: Union[bool, str] = ...,
        random_state: Any = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    @property
    def mean_(self) -> np.ndarray: ...
    @property
    def components_(self) -> np.ndarray: ...
    @property
    def mixing_(self) -> np.ndarray: ...

class FromDistances(Transformer):
    ...

class ClassicalMDS(FromDistances, Spectral):
    n_components: Union[int, float, str, None]
    dissimilarity: str
    tolerance: Union[float, str]
    certify: str
    random_state: Any
    as_: str
    additive: str
    out_of_sample: str
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
        dissimilarity: str = ...,
        tolerance: Union[float, str] = ...,
        certify: str = ...,
        random_state: Any = ...,
        as_: str = ...,
        additive: str = ...,
        out_of_sample: str = ...,
        scale: Union[bool, str] = ...,
        operator: str = ...,
        solver: str = ...,
        precision: str = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...

class MDS(FromDistances):
    n_components: Union[int, float, str, None]
    dissimilarity: str
    as_: str
    weight_power: float
    start_from: str
    restarts: int
    tolerance: Union[float, str]
    iterations: int
    scale: Union[bool, str]
    random_state: Any
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        dissimilarity: str = ...,
        as_: str = ...,
        weight_power: float = ...,
        start_from: str = ...,
        restarts: int = ...,
        tolerance: Union[float, str] = ...,
        iterations: int = ...,
        scale: Union[bool, str] = ...,
        random_state: Any = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    @property
    def embedding_(self) -> np.ndarray: ...
    @property
    def stress_(self) -> float: ...
    @property
    def n_iter_(self) -> int: ...

class EKPCA(Transformer):
    n_components: Union[int, float, str, None]
    patterns: Optional[int]
    kernel: Union[str, Callable[..., float]]
    threshold: float
    select: str
    column_rows: int
    scale: Union[bool, str]
    random_state: Any
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        patterns: Optional[int] = ...,
        kernel: Union[str, Callable[..., float]] = ...,
        threshold: float = ...,
        select: str = ...,
        column_rows: int = ...,
        scale: Union[bool, str] = ...,
        random_state: Any = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    @property
    def pattern_indices_(self) -> np.ndarray: ...
    @property
    def eigenvalues_(self) -> np.ndarray: ...
