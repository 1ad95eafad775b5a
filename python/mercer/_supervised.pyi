# Made by tools/make_python_docs.py. Do not edit: run ./dev docs.
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from ._base import Estimator
from ._transform import Inverter, Transformer

class Regressor(Estimator):
    def fit(self, X: Any, y: Any = ...) -> Any: ...
    def predict(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any, sample_weight: Any = ...) -> float: ...
    @property
    def coef_(self) -> np.ndarray: ...
    @property
    def intercept_(self) -> np.ndarray: ...

class PLSRegression(Regressor, Transformer):
    n_components: Union[int, float, str, None]
    scale: Union[bool, str]
    max_iter: Optional[int]
    tol: float
    copy: bool
    folds: int
    fold_type: str
    random_state: Any
    algorithm: str
    kernel: Union[str, Callable[..., float]]
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        scale: Union[bool, str] = ...,
        max_iter: Optional[int] = ...,
        tol: float = ...,
        copy: bool = ...,
        folds: int = ...,
        fold_type: str = ...,
        random_state: Any = ...,
        algorithm: str = ...,
        kernel: Union[str, Callable[..., float]] = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    def transform(self, X: Any, y: Any = ..., copy: bool = ...) -> Any: ...
    def predict(self, X: Any, copy: bool = ...) -> np.ndarray: ...
    def fit_transform(self, X: Any, y: Any = ..., **params: Any) -> Any: ...
    def inverse_transform(self, X: Any) -> np.ndarray: ...
    @property
    def x_rotations_(self) -> np.ndarray: ...
    @property
    def x_loadings_(self) -> np.ndarray: ...
    @property
    def x_weights_(self) -> np.ndarray: ...
    @property
    def y_weights_(self) -> np.ndarray: ...
    @property
    def y_rotations_(self) -> np.ndarray: ...

class PCR(Regressor, Inverter):
    n_components: Union[int, float, str, None]
    folds: int
    fold_type: str
    random_state: Any
    select: str
    scale: Union[bool, str]
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        folds: int = ...,
        fold_type: str = ...,
        random_state: Any = ...,
        select: str = ...,
        scale: Union[bool, str] = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...

class Labelled(Estimator):
    def fit(self, X: Any, y: Any = ...) -> Any: ...
    classes_: np.ndarray

class Classifier(Labelled):
    def predict(self, X: Any) -> np.ndarray: ...
    def score(self, X: Any, y: Any, sample_weight: Any = ...) -> float: ...
    classes_: np.ndarray

class KernelLDA(Classifier, Transformer):
    n_components: Union[int, float, str, None]
    kernel: Union[str, Callable[..., float]]
    ridge: str
    rank: str
    span: str
    random_state: Any
    classifier: str
    covariance: str
    priors: str
    scale: Union[bool, str]
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        kernel: Union[str, Callable[..., float]] = ...,
        ridge: str = ...,
        rank: str = ...,
        span: str = ...,
        random_state: Any = ...,
        classifier: str = ...,
        covariance: str = ...,
        priors: str = ...,
        scale: Union[bool, str] = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    def predict_proba(self, X: Any) -> np.ndarray: ...
    def predict_log_proba(self, X: Any) -> np.ndarray: ...

class KernelBDA(Labelled, Transformer):
    n_components: Union[int, float, str, None]
    positive: Any
    kernel: Union[str, Callable[..., float]]
    ridge: str
    rank: str
    span: str
    random_state: Any
    scale: Union[bool, str]
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        positive: Any = ...,
        kernel: Union[str, Callable[..., float]] = ...,
        ridge: str = ...,
        rank: str = ...,
        span: str = ...,
        random_state: Any = ...,
        scale: Union[bool, str] = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    def distances(self, X: Any) -> np.ndarray: ...
    def decision_function(self, X: Any) -> np.ndarray: ...

class NearestMean(Classifier):
    kernel: Union[str, Callable[..., float]]
    as_: str
    scale: Union[bool, str]
    random_state: Any
    n_jobs: Optional[int]
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        *,
        kernel: Union[str, Callable[..., float]] = ...,
        as_: str = ...,
        scale: Union[bool, str] = ...,
        random_state: Any = ...,
        n_jobs: Optional[int] = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    def decision_function(self, X: Any) -> np.ndarray: ...
