"""Kernel machines behind the scikit-learn contract."""

from .enclosing_ball import EnclosingBall
from .linear_svc import LinearSVC
from .linear_svr import LinearSVR
from .nu_svc import NuSVC
from .nu_svr import NuSVR
from .one_class_svm import OneClassSVM
from .output_code import OutputCode
from .rls_classifier import RLSClassifier
from .rls_regressor import RLSRegressor
from .svc import SVC
from .svr import SVR
from .tikhonov import TikhonovEstimator

__all__ = [
    "SVC",
    "SVR",
    "EnclosingBall",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OutputCode",
    "RLSClassifier",
    "RLSRegressor",
    "TikhonovEstimator",
]
