"""Objectives refuse what they are not made for, in one sentence, before any work."""

import numpy as np
import pytest

import widemargin as wm
from widemargin import kernels
from widemargin.losses import Logistic
from widemargin.selection import Parameters, width_heuristic
from widemargin.selection.objectives import (
    GCV,
    Alignment,
    BootstrapError,
    BootstrapLikelihood,
    CrossValidation,
    HoldOut,
    LeaveOneOut,
    LogPosterior,
    NormalPrior,
    Polarization,
    RadiusMargin,
    SpanBound,
    SpanRule,
)

X = np.random.default_rng(0).normal(size=(30, 2))
Y = np.where(X[:, 0] > 0, 1, -1)


class Bare(kernels.Gaussian):
    """A kernel whose derivative nobody has written."""

    _contract_rows = kernels.Kernel._contract_rows


@pytest.mark.parametrize(
    ("objective", "machine", "words"),
    [
        (HoldOut(), wm.NuSVC(), "HoldOut is for SVC and SVR, not for NuSVC"),
        (HoldOut(), wm.RLSClassifier(), "HoldOut is for SVC and SVR, not for RLSClassifier"),
        (GCV(), wm.SVC(), "GCV is for RLSClassifier and RLSRegressor, not for SVC"),
        (GCV(), wm.RLSClassifier(centres=5), "centres=None"),
        (BootstrapLikelihood(), wm.SVR(), "BootstrapLikelihood is for SVC, not for SVR"),
        (RadiusMargin(), wm.SVC(), "not for a soft hinge loss"),
        (RadiusMargin(), wm.SVC(loss="least-squares"), "least squares"),
        (SpanRule(), wm.SVC(loss="least-squares"), "not 'least-squares'"),
        (SpanBound(), wm.SVC(loss="least-squares"), "not 'least-squares'"),
        (HoldOut(), wm.SVC(C=np.inf), "C=inf has no logarithm"),
        (Alignment(), wm.SVC(kernel="linear"), "nothing to choose here"),
        (Polarization(), wm.SVC(kernel="poly", coef0=1.0), "normalized"),
        (HoldOut(share=1.5), wm.SVC(), "share must lie strictly between 0 and 1"),
        (HoldOut(loss="hinge"), wm.SVC(), "loss must be a Loss"),
        (HoldOut(loss=Logistic()), wm.SVR(), "loss of margins"),
        (CrossValidation(cv=1), wm.SVC(), "cv must lie between 2 and the 30 points"),
        (CrossValidation(cv=[], fresh=True), wm.SVC(), "give cv a number"),
        (BootstrapError(draws=0), wm.SVC(), "draws must be a whole number"),
        (BootstrapError(share=0.0), wm.SVC(), "share must lie strictly between 0 and 1"),
        (LogPosterior(), wm.SVC(kernel="poly", coef0=1.0), "no prior is known for Polynomial"),
        (
            LogPosterior(),
            wm.SVC(kernel=kernels.ManifoldGaussian(np.eye(2))),
            "no prior is known",
        ),
        (LogPosterior(prior=NormalPrior(centre=[1.0, 2.0])), wm.SVC(), "centre must be one finite number"),
        (LogPosterior(prior=NormalPrior(width=0.0)), wm.SVC(), "width must be a positive finite number"),
        (HoldOut(), wm.SVC(C=-1.0), "C must be a positive number"),
    ],
)
def test_an_objective_says_what_it_is_made_for(objective, machine, words):
    with pytest.raises(ValueError, match=words):
        objective.bind(machine, X, Y)


def test_a_count_of_errors_has_no_gradient():
    for objective in (HoldOut(), CrossValidation(), LeaveOneOut(), BootstrapError()):
        bound = objective.bind(wm.SVC(), X, Y)
        with pytest.raises(ValueError, match="has no gradient: choose a loss with derivatives"):
            bound.value_and_gradient(bound.parameters.start)
    bound = SpanRule().bind(wm.SVC(), X, Y)
    with pytest.raises(ValueError, match="has no gradient: search by a grid"):
        bound.value_and_gradient(bound.parameters.start)


def test_a_kernel_without_derivative_has_values_but_no_gradients():
    bound = Alignment().bind(wm.SVC(kernel=2.0 * Bare(0.5)), X, Y)
    assert np.isfinite(bound.value(bound.parameters.start))
    with pytest.raises(ValueError, match="Scaled has no derivative, which the gradient of Alignment needs"):
        bound.value_and_gradient(bound.parameters.start)


@pytest.mark.parametrize("objective", [HoldOut(), Alignment(), LogPosterior()])
def test_few_constant_and_single_class_data_are_refused(objective):
    with pytest.raises(ValueError, match="X has 9 points with weight"):
        objective.bind(wm.SVC(), X[:9], Y[:9])
    with pytest.raises(ValueError, match="X has 5 points with weight"):
        objective.bind(wm.SVC(), X, Y, sample_weight=np.arange(30) < 5)
    with pytest.raises(ValueError, match="all features of X are constant"):
        objective.bind(wm.SVC(), np.ones((30, 3)), Y)
    with pytest.raises(ValueError, match=r"class"):
        objective.bind(wm.SVC(), X, np.ones(30))


def test_a_fold_without_a_class_is_named():
    y = np.r_[np.zeros(15), np.ones(15)]
    folds = [(np.arange(15), np.arange(15, 30))]
    with pytest.raises(ValueError, match=r"fold 0 of cv has no point of class 1.0 to train on"):
        CrossValidation(cv=folds).bind(wm.SVC(), X, y)
    with pytest.raises(ValueError, match=r"fold 0 of cv has no point of class 1.0 to train on"):
        BootstrapError(subsets=[np.arange(15)]).bind(wm.SVC(), X, y)


def test_a_class_of_one_point_cannot_be_left_out():
    y = np.zeros(30)
    y[3] = 1
    for objective in (HoldOut(), LeaveOneOut(), SpanBound()):
        with pytest.raises(ValueError, match=r"class 1.0 has a single point"):
            objective.bind(wm.SVC(), X, y)


def test_hard_margins_that_do_not_exist_are_reported():
    y = np.where(np.arange(30) % 2, 1, -1)
    bound = RadiusMargin().bind(wm.SVC(C=np.inf, kernel=wm.Polynomial(1, 1.0, 1.0)), X, y)
    with pytest.raises(ValueError, match="cannot be separated"):
        bound.value(bound.parameters.start)


@pytest.mark.parametrize(
    ("x", "words"),
    [
        ([1.0], "x must have 2 entries"),
        ([np.nan, 0.0], r"x\[0\] \(log C\)"),
        ([0.0, 99.0], r"x\[1\] \(log gamma\)"),
    ],
)
def test_points_of_a_search_must_make_sense(x, words):
    bound = HoldOut().bind(wm.SVC(), X, Y)
    with pytest.raises(ValueError, match=words):
        bound.value(x)
    with pytest.raises(ValueError, match=words):
        bound.parameters.estimator_with(x)


def test_an_estimator_is_not_changed():
    machine = wm.SVC(C=2.0, gamma="scale")
    bound = HoldOut(Logistic()).bind(machine, X, Y)
    bound.value_and_gradient([1.0, 1.0])
    assert machine.get_params() == wm.SVC(C=2.0, gamma="scale").get_params()
    assert not hasattr(machine, "support_")


def test_parameters_of_a_search_by_leave_one_out_begin_somewhere():
    assert np.isfinite(Parameters(wm.RLSClassifier(), wm.Gaussian(1.0), tunes_C=True).start).all()


def test_the_width_heuristic_says_what_it_needs():
    with pytest.raises(ValueError, match="pairs must be 'nearest' or 'all'"):
        width_heuristic(X, Y, pairs="some")
    with pytest.raises(ValueError, match="quantile must lie strictly between 0 and 1"):
        width_heuristic(X, Y, quantile=1.0)
    with pytest.raises(ValueError, match="single class"):
        width_heuristic(X, np.ones(30))
    with pytest.raises(ValueError, match="all points are the same"):
        width_heuristic(np.ones((30, 2)), Y)
    with pytest.raises(ValueError, match="one entry for each of the 30 points"):
        width_heuristic(X, Y[:5])


def test_the_width_heuristic_is_a_quantile_of_distances_between_classes():
    D = np.linalg.norm(X[Y > 0][:, None] - X[Y < 0][None], axis=2)
    nearest = np.concatenate([D.min(axis=0), D.min(axis=1)])
    assert width_heuristic(X, Y, pairs="all") == pytest.approx(np.median(D))
    assert width_heuristic(X, Y) == pytest.approx(np.median(nearest))
    assert width_heuristic(X, Y, quantile=0.9) == pytest.approx(np.quantile(nearest, 0.9))


def test_the_chess_board_is_not_two_blobs():
    """All pairs give a kernel far too wide, the nearest ones a good one (the best gamma is about 1)."""
    wide, near = [], []
    for seed in range(10):
        sample = wm.datasets.chess_board(200, seed=seed)
        wide.append(1 / (2 * width_heuristic(sample.X, sample.y, pairs="all") ** 2))
        near.append(1 / (2 * width_heuristic(sample.X, sample.y) ** 2))
    assert np.mean(wide) == pytest.approx(0.114, rel=0.1)
    assert np.mean(near) == pytest.approx(3.7, rel=0.3)
