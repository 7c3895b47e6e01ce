"""Kernel machines behind the scikit-learn contract."""

from .enclosing_ball import EnclosingBall
from .nu_svc import NuSVC
from .nu_svr import NuSVR
from .one_class_svm import OneClassSVM
from .svc import SVC
from .svr import SVR

__all__ = ["SVC", "SVR", "EnclosingBall", "NuSVC", "NuSVR", "OneClassSVM"]
