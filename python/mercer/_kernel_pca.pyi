# Made by tools/make_python_docs.py. Do not edit: run ./dev docs.
from typing import Any, Callable, Dict, Optional, Tuple, Union

import numpy as np

from ._transform import Spectral, Transformer

class KernelPCA(Spectral, Transformer):
    n_components: Union[int, float, str, None]
    kernel: Union[str, Callable[..., float]]
    gamma: Union[float, str, None]
    degree: float
    coef0: float
    kernel_params: Optional[Dict[str, Any]]
    alpha: float
    fit_inverse_transform: bool
    eigen_solver: str
    tol: float
    max_iter: Optional[int]
    iterated_power: Union[int, str]
    remove_zero_eig: bool
    random_state: Any
    copy_X: bool
    n_jobs: Optional[int]
    sigma: Union[float, str, None]
    indefinite: Optional[str]
    tolerance: Union[float, str]
    certify: str
    center: bool
    nullspace: str
    as_: str
    scale: Union[bool, str]
    operator: str
    solver: str
    precision: str
    memory: Optional[str]
    time: Union[float, str, None]
    progress: Union[bool, Callable[..., None], None]
    def __init__(
        self,
        n_components: Union[int, float, str, None] = ...,
        *,
        kernel: Union[str, Callable[..., float]] = ...,
        gamma: Union[float, str, None] = ...,
        degree: float = ...,
        coef0: float = ...,
        kernel_params: Optional[Dict[str, Any]] = ...,
        alpha: float = ...,
        fit_inverse_transform: bool = ...,
        eigen_solver: str = ...,
        tol: float = ...,
        max_iter: Optional[int] = ...,
        iterated_power: Union[int, str] = ...,
        remove_zero_eig: bool = ...,
        random_state: Any = ...,
        copy_X: bool = ...,
        n_jobs: Optional[int] = ...,
        sigma: Union[float, str, None] = ...,
        indefinite: Optional[str] = ...,
        tolerance: Union[float, str] = ...,
        certify: str = ...,
        center: bool = ...,
        nullspace: str = ...,
        as_: str = ...,
        scale: Union[bool, str] = ...,
        operator: str = ...,
        solver: str = ...,
        precision: str = ...,
        memory: Optional[str] = ...,
        time: Union[float, str, None] = ...,
        progress: Union[bool, Callable[..., None], None] = ...,
    ) -> None: ...
    def fit(self, X: Any, y: Any = ...) -> "KernelPCA": ...
    def fit_transform(self, X: Any, y: Any = ..., **params: Any) -> Any: ...
    def transform(self, X: Any) -> Any: ...
    def inverse_transform(self, X: Any) -> np.ndarray: ...
    def component_map(self, component: int = ..., *, features: Tuple[int, int] = ..., resolution: int = ..., bounds: Optional[Tuple[float, float, float, float]] = ..., at: Any = ...) -> Tuple[np.ndarray, np.ndarray, np.ndarray]: ...
    @property
    def X_fit_(self) -> Any: ...
    @property
    def eigenvectors_(self) -> np.ndarray: ...
    @property
    def lambdas_(self) -> np.ndarray: ...
    @property
    def alphas_(self) -> np.ndarray: ...
    @property
    def X_transformed_fit_(self) -> np.ndarray: ...
    @property
    def dual_coef_(self) -> np.ndarray: ...
    @property
    def gamma_(self) -> Optional[float]: ...
    @property
    def explained_variance_(self) -> np.ndarray: ...
