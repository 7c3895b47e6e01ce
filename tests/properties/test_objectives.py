"""Objectives of model selection: their gradients against central differences, and what they promise."""

from itertools import combinations, cycle

import numpy as np
import pytest
from sklearn.base import clone

import widemargin as wm
from reference.differences import central_differences, sided_differences
from widemargin import kernels
from widemargin.losses import Absolute, Logistic, Ramp, Square, SquaredHinge, ZeroOne
from widemargin.selection import width_heuristic
from widemargin.selection.objectives import (
    GCV,
    Alignment,
    BootstrapError,
    BootstrapLikelihood,
    CrossValidation,
    HoldOut,
    JeffreysPrior,
    LeaveOneOut,
    LogPosterior,
    NormalPrior,
    Polarization,
    RadiusMargin,
    RidgeLeaveOneOut,
    SpanBound,
    SpanRule,
    SupportVectorCount,
)
from widemargin.selection.objectives.slope import fit_slope

KERNELS = {
    "radial": wm.Gaussian(0.4),
    "diagonal": wm.ARDGaussian([0.2, 0.6]),
    "general": wm.GeneralGaussian(np.array([[0.8, 0.2], [0.2, 0.5]])),
    "on the manifold": kernels.ManifoldGaussian(np.array([[0.9, 0.1], [0.1, 0.7]])),
    "weighted sum": 0.7 * wm.Gaussian(0.4) + 0.2 * wm.Polynomial(2, 0.5, 1.0),
    "product": wm.Gaussian(0.3) * wm.Polynomial(2, 0.5, 1.0),
    "normalised": wm.Polynomial(2, 0.5, 1.0).normalized(),
}

OF_MACHINES = {
    "hold-out": HoldOut(Logistic()),
    "cross-validation": CrossValidation(Ramp(2.0), cv=3),
    "leave-one-out": LeaveOneOut(Logistic()),
    "exact span bound": SpanBound(),
    "fast span bound": SpanBound(exact=False),
    "bootstrap error": BootstrapError(SquaredHinge(), draws=2, fresh=False),
    "likelihood": BootstrapLikelihood(fresh=False),
    "posterior": LogPosterior(prior=NormalPrior(centre=0.3), fresh=False),
}
OF_KERNELS = {
    "alignment": Alignment(),
    "centred alignment": Alignment(centred=True),
    "polarization": Polarization(),
}


def problem(seed, n=26):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 2))
    y = np.where(X[:, 0] + np.sin(2 * X[:, 1]) + 0.6 * random.normal(size=n) > 0, 1, -1)
    y[:6] = [1, 1, 1, -1, -1, -1]
    return X, y


def agreement(objective, machine, X, y):
    """In which directions the gradient is that of central differences, to 1e-4 of the largest of them.

    In all others there must be a kink within the step, where a point becomes free or bounded, lost or safe:
    the gradient is the slope to one side of it. A gradient of zero (sigmoids no better than chance, sums over
    points that are all lost or safe) is compared with what rounding makes of differences.
    """
    bound = objective.bind(machine, X, y, random_state=7)
    start = bound.parameters.start
    found, gradient = bound.value_and_gradient(start)
    below, above = sided_differences(bound.value, start)
    slopes = (below + above) / 2
    assert found == pytest.approx(bound.value(start), rel=1e-8, abs=1e-10)
    assert gradient.shape == start.shape == (len(bound.parameters.names),)
    rounding = 1e-6 * max(1.0, abs(found))
    tolerance = 1e-4 * np.abs(slopes).max() if np.abs(gradient).max() > rounding else rounding
    low, high = np.minimum(below, above) - tolerance, np.maximum(below, above) + tolerance
    assert np.all((low <= gradient) & (gradient <= high)), (gradient, below, above)
    return np.abs(gradient - slopes) <= tolerance


def svc(**parameters):
    return wm.SVC(**{"C": 1.5, "tol": 1e-10} | parameters)


def twenty_problems():
    """Points, labels, and settings of machines: from hardly any free points to hardly any bounded ones."""
    for seed in range(20):
        C = (1e-3, 0.05, 1.5, 1e3)[seed % 4]
        yield *problem(100 + seed), {"C": C, "fit_intercept": seed % 3 < 2}


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", OF_MACHINES)
def test_gradients_of_machines_agree_with_differences(name, kernel, loss):
    agrees = []
    for X, y, settings in twenty_problems():
        machine = wm.SVC(kernel=KERNELS[kernel], loss=loss, **settings)
        agrees.extend(agreement(OF_MACHINES[name], machine, X, y))
    assert np.mean(agrees) > 0.9


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", OF_KERNELS)
def test_gradients_of_kernels_agree_with_differences(name, kernel):
    for X, y, _ in twenty_problems():
        chosen = KERNELS[kernel]
        if name == "polarization" and kernel in ("weighted sum", "product"):
            chosen = chosen.normalized()
        assert agreement(OF_KERNELS[name], svc(kernel=chosen), X, y).all()


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_gradient_of_radius_and_margin_agrees_with_differences(kernel):
    agrees = []
    for X, y, settings in twenty_problems():
        machine = wm.SVC(kernel=KERNELS[kernel], loss="squared_hinge", **settings)
        agrees.extend(agreement(RadiusMargin(), machine, X, y))
    assert np.mean(agrees) > 0.9


def test_the_gradient_of_radius_and_a_hard_margin_agrees_with_differences():
    X, y = problem(9)
    hard = svc(C=np.inf, kernel=wm.ARDGaussian([3.0, 5.0]))
    assert agreement(RadiusMargin(), hard, X, y).all()
    assert RadiusMargin().bind(hard, X, y).parameters.names == ["log gamma[0]", "log gamma[1]"]


@pytest.mark.parametrize("objective", [GCV(), RidgeLeaveOneOut()])
@pytest.mark.parametrize("bias", ["none", "free", "penalised"])
def test_gradients_of_least_squares_agree_with_differences(objective, bias):
    for (X, y, settings), kernel in zip(twenty_problems(), cycle(KERNELS.values())):
        how = {"lam": 0.05 / settings["C"], "kernel": kernel, "bias": bias}
        assert agreement(objective, wm.RLSClassifier(**how), X, y).all()
        assert agreement(objective, wm.RLSRegressor(**how), X, X[:, 0] ** 2).all()


@pytest.mark.parametrize("objective", [HoldOut(), CrossValidation(Absolute(), cv=3), LeaveOneOut()])
def test_gradients_of_regression_agree_with_differences(objective):
    agrees = []
    for X, _, settings in twenty_problems():
        machine = wm.SVR(C=settings["C"], epsilon=0.1, kernel=KERNELS["diagonal"])
        agrees.extend(agreement(objective, machine, X, np.sin(X[:, 0]) + 0.1 * X[:, 1]))
    assert np.mean(agrees) > 0.9


@pytest.mark.parametrize("multiclass", ["all-pairs", "one-vs-all"])
@pytest.mark.parametrize("name", [*OF_MACHINES, *OF_KERNELS])
def test_gradients_of_several_classes_agree_with_differences(name, multiclass):
    X, _ = problem(4, n=36)
    y = np.digitize(X[:, 0] + 0.3 * X[:, 1] ** 2, [-0.4, 0.5])
    objective = (OF_MACHINES | OF_KERNELS)[name]
    assert agreement(objective, svc(kernel=wm.Gaussian(0.4), multiclass=multiclass), X, y).all()


def test_a_repeated_point_leaves_all_gradients_finite():
    X, y = problem(5)
    X, y = np.concatenate([X, X[:8]]), np.concatenate([y, y[:8]])
    for objective in (*OF_MACHINES.values(), *OF_KERNELS.values()):
        for loss in ("hinge", "squared_hinge"):
            bound = objective.bind(svc(C=20.0, loss=loss, kernel=wm.Gaussian(0.4)), X, y, random_state=0)
            value, gradient = bound.value_and_gradient(bound.parameters.start)
            assert np.isfinite(value) and np.isfinite(gradient).all()


@pytest.mark.parametrize("objective", [*OF_MACHINES.values(), *OF_KERNELS.values(), SpanRule()])
@pytest.mark.parametrize("log_gamma", [-40.0, 40.0])
@pytest.mark.parametrize("log_C", [-40.0, 15.0])
def test_far_out_values_are_numbers(objective, log_C, log_gamma):
    X, y = problem(6)
    bound = objective.bind(wm.SVC(kernel=wm.Gaussian(0.4)), X, y, random_state=0)
    x = [log_C, log_gamma] if objective.tunes_C else [log_gamma]
    assert np.isfinite(bound.value(x))
    if objective.differentiable:
        assert np.isfinite(bound.value_and_gradient(x)[1]).all()


def test_warm_starts_do_not_change_the_values():
    X, y = problem(7, n=40)
    for objective in (CrossValidation(Logistic()), BootstrapLikelihood(subsets=[np.arange(30)])):
        warm = objective.bind(svc(), X, y, random_state=0)
        for x in np.random.default_rng(0).normal(size=(6, 2)):
            cold = objective.bind(svc(), X, y, random_state=0)
            assert warm.value(x) == pytest.approx(cold.value(x), rel=1e-7)


def test_leave_one_out_errors_smoothed_count_and_support_vectors_are_in_order():
    for seed in range(6):
        X, y = problem(seed)
        for C in (0.3, 3.0, 300.0):
            machine = svc(C=C, kernel=wm.Gaussian(0.4))
            errors, smoothed, support = (
                objective.bind(machine, X, y).value(np.log([C, 0.4]))
                for objective in (LeaveOneOut(), SpanBound(), SupportVectorCount())
            )
            assert errors * len(y) <= smoothed + 1e-8 <= support + 2e-8


def test_objectives_agree_with_the_bounds_and_with_leave_one_out():
    for seed in range(4):
        X, y = problem(seed)
        for loss in ("hinge", "squared_hinge"):
            machine = svc(C=3.0, kernel=wm.Gaussian(0.4), loss=loss).fit(X, y)
            x = np.log([3.0, 0.4])
            assert SpanRule().bind(machine, X, y).value(x) == wm.bounds.span_rule(machine, X, y)
            for exact in (True, False):
                expected = wm.bounds.span_bound(machine, X, y, exact=exact)
                assert SpanBound(exact).bind(machine, X, y).value(x) == pytest.approx(expected, rel=1e-6)
            assert LeaveOneOut().bind(machine, X, y).value(x) == wm.leave_one_out(machine, X, y).error
        quotient = wm.bounds.radius_margin(machine, X, y).quotient
        assert RadiusMargin().bind(machine, X, y).value(x) == pytest.approx(quotient, rel=1e-4)


def test_cross_validation_with_a_fold_for_each_point_is_leave_one_out():
    X, y = problem(1)
    for loss in (ZeroOne(), Logistic()):
        folds = CrossValidation(loss, cv=len(y)).bind(svc(), X, y, random_state=0)
        left_out = LeaveOneOut(loss).bind(svc(), X, y)
        x = np.log([1.5, 0.4])
        assert folds.value(x) == pytest.approx(left_out.value(x), rel=1e-8)


def test_cross_validation_agrees_with_the_grid():
    X, y = problem(2, n=60)
    folds = [(np.arange(20, 60), np.arange(20)), (np.arange(40), np.arange(40, 60))]
    path = wm.cross_validate_path(svc(), X, y, Cs=[0.5, 5.0], gammas=[0.1, 1.0], cv=folds)
    bound = CrossValidation(cv=folds).bind(svc(), X, y)
    for i, C in enumerate([0.5, 5.0]):
        for j, gamma in enumerate([0.1, 1.0]):
            error = 1 - path.scores[i, j].mean()
            assert bound.value(np.log([C, gamma])) == pytest.approx(error)


def test_least_squares_objectives_are_what_the_machine_reports():
    X, y = problem(3)
    weight = np.random.default_rng(0).choice([1.0, 2.0, 3.0], size=len(y))
    for bias in ("none", "free", "penalised"):
        machine = wm.RLSClassifier(lam=0.02, gamma=0.4, bias=bias, class_weight="balanced")
        machine.fit(X, y, weight)
        bound = GCV().bind(machine, X, y, weight)
        assert bound.parameters.names == ["log lam", "log gamma"]
        assert bound.value(bound.parameters.start) == pytest.approx(machine.gcv_, rel=1e-8)
        check = RidgeLeaveOneOut().bind(wm.RLSRegressor(lam=0.02, gamma=0.4, bias=bias), X, X[:, 0])
        machine = wm.RLSRegressor(lam=0.02, gamma=0.4, bias=bias, leave_one_out=True).fit(X, X[:, 0])
        expected = np.mean(machine.loo_residuals_**2)
        assert check.value(check.parameters.start) == pytest.approx(expected, rel=1e-8)


def test_the_mean_over_draws_is_the_mean_over_all_subsets():
    random = np.random.default_rng(0)
    X = random.normal(size=(10, 2))
    y = np.where(np.arange(10) % 2, 1, -1)
    subsets = [np.array(each) for each in combinations(range(10), 8)]
    for make in (
        lambda **how: BootstrapError(Square(), share=0.8, stratified=False, **how),
        lambda **how: BootstrapLikelihood(share=0.8, stratified=False, **how),
    ):
        x = np.log([1.5, 0.4])
        mean = make(subsets=subsets).bind(svc(), X, y).value(x)
        noisy = make().bind(svc(), X, y, random_state=1)
        draws = np.array([noisy.value(x) for _ in range(400)])
        assert abs(draws.mean() - mean) < 4 * draws.std() / 20


def test_fresh_splits_are_noisy_and_fixed_ones_are_not():
    X, y = problem(2, n=40)
    for make in (HoldOut, CrossValidation):
        for fresh in (False, True):
            objective = make(Logistic(), fresh=fresh)
            bound = objective.bind(svc(), X, y, random_state=0)
            different = abs(bound.value([0.0, 0.0]) - bound.value([0.0, 0.0])) > 1e-6
            assert different == fresh == objective.noisy


@pytest.mark.parametrize("make", [BootstrapError, BootstrapLikelihood, LogPosterior])
def test_subsets_that_stay_the_same_leave_out_every_point_equally_often(make):
    X, y = problem(2, n=60)
    objective = make(draws=10, fresh=False)
    bound = objective.bind(svc(), X, y, random_state=0)
    assert not objective.noisy
    assert bound.value([0.0, 0.0]) == pytest.approx(bound.value([0.0, 0.0]), rel=1e-6)
    left_out = np.concatenate([fold.test for fold in bound._splits()])
    assert set(np.bincount(left_out, minlength=60)) <= {1, 2, 3}
    assert left_out.size == 10 * 12
    assert all(np.intersect1d(fold.train, fold.test).size == 0 for fold in bound._splits())


def test_the_same_seed_gives_the_same_draws():
    X, y = problem(3)
    values = [
        [bound.value([0.0, 0.0]) for _ in range(3)]
        for bound in (LogPosterior().bind(svc(), X, y, random_state=5) for _ in range(2))
    ]
    assert values[0] == values[1]
    assert len(set(values[0])) > 1


def test_alignment_is_a_cosine():
    X, y = problem(4)
    machine = svc(kernel=0.5 * wm.Gaussian(0.4))
    bound = Alignment().bind(machine, X, y)
    values = [bound.value([np.log(factor), np.log(0.4)]) for factor in (0.1, 1.0, 10.0)]
    assert -1 <= values[0] <= 1
    np.testing.assert_allclose(values, values[0], rtol=1e-10)
    K, ideal = wm.Gaussian(0.4).gram(X), np.outer(y, y)
    assert -values[0] == pytest.approx(np.sum(ideal * K) / np.linalg.norm(K) / len(y))
    labels = svc(kernel=wm.Linear() * wm.Gaussian(1e-12))
    assert Alignment().bind(labels, y[:, None].astype(float), y).value([-27.0]) == pytest.approx(-1.0)


def test_centred_alignment_is_that_of_centred_matrices():
    X, y = problem(5)
    H = np.eye(len(y)) - 1 / len(y)
    K, ideal = H @ wm.Gaussian(0.4).gram(X) @ H, H @ np.outer(y, y) @ H
    expected = np.sum(K * ideal) / np.linalg.norm(K) / np.linalg.norm(ideal)
    assert -Alignment(centred=True).bind(svc(), X, y).value([np.log(0.4)]) == pytest.approx(expected)


@pytest.mark.parametrize("centred", [False, True])
def test_many_blocks_of_rows_give_what_the_whole_matrix_gives(centred):
    X, y = problem(6, n=300)  # five blocks
    kernel = KERNELS["diagonal"]
    x, n = kernel.theta, len(y)
    H = np.eye(n) - (1 / n if centred else 0)
    K, ideal = H @ kernel.gram(X) @ H, H @ np.outer(y, y) @ H
    size = np.linalg.norm(K)
    cosine = np.sum(K * ideal) / size / np.linalg.norm(ideal)
    expected = kernel.contract(X, None, -ideal / np.linalg.norm(ideal) / size + cosine / size**2 * K)
    value, gradient = Alignment(centred).bind(svc(kernel=kernel), X, y).value_and_gradient(x)
    assert value == pytest.approx(-cosine)
    np.testing.assert_allclose(gradient, expected, rtol=1e-8)
    value, gradient = Polarization().bind(svc(kernel=kernel), X, y).value_and_gradient(x)
    assert value == pytest.approx(-y @ kernel.gram(X) @ y)
    np.testing.assert_allclose(gradient, -kernel.contract(X, None, np.outer(y, y)), rtol=1e-8)


def test_limits_of_the_radial_kernel():
    X, y = problem(6)
    n, plus = len(y), np.count_nonzero(y > 0)
    narrow, wide = [12.0], [-40.0]
    assert -Alignment().bind(svc(), X, y).value(narrow) == pytest.approx(n**-0.5)
    assert -Alignment().bind(svc(), X, y).value(wide) == pytest.approx(((2 * plus - n) / n) ** 2)
    assert -Polarization().bind(svc(), X, y).value(narrow) == pytest.approx(n)
    assert -Polarization().bind(svc(), X, y).value(wide) == pytest.approx((2 * plus - n) ** 2)
    hard = RadiusMargin().bind(svc(C=np.inf), X, y)
    assert hard.value(narrow) == pytest.approx((1 - 1 / n) * 4 * plus * (n - plus) / n)


def test_the_closest_pair_decides_where_very_narrow_kernels_lead():
    """Theorems 9.3 and 9.4: sign dT/dgamma = y_p y_q = -sign dP/dgamma once the closest pair dominates."""
    seen = set()
    for seed in range(20):
        random = np.random.default_rng(seed)
        X = random.normal(size=(12, 3))
        y = np.where(random.permutation(12) < 6, 1, -1)
        D = ((X[:, None] - X[None]) ** 2).sum(axis=2)
        upper = np.sort(D[np.triu_indices(12, 1)])
        p, q = np.unravel_index(np.argmin(D + 1e9 * np.eye(12)), D.shape)
        log_gamma = [np.log(12.0 / (upper[1] - upper[0]))]
        if np.exp(log_gamma[0]) * upper[0] > 15:
            continue  # beyond rounding
        radius = RadiusMargin().bind(svc(C=np.inf), X, y).value_and_gradient(log_gamma)[1][0]
        polarization = -Polarization().bind(svc(), X, y).value_and_gradient(log_gamma)[1][0]
        assert np.sign(radius) == y[p] * y[q] == -np.sign(polarization)
        seen.add(y[p] * y[q])
    assert seen == {-1, 1}


def test_the_sigmoid_is_the_most_likely_one():
    random = np.random.default_rng(0)
    for _ in range(20):
        margins = random.normal(size=15) + 0.3
        fitted = fit_slope(margins)
        likelihood = [-np.logaddexp(0, s * margins).sum() for s in np.linspace(-20, 0, 4001)]
        assert fitted.log_likelihood >= max(likelihood) - 1e-9
        if fitted.s < 0:
            slope = -np.sum(margins / (1 + np.exp(-fitted.s * margins)))
            assert abs(slope) < 1e-9
        scaled = fit_slope(3.0 * margins)
        assert scaled.log_likelihood == pytest.approx(fitted.log_likelihood)
        assert scaled.s == pytest.approx(fitted.s / 3)


def test_the_sigmoid_at_its_limits():
    separated = fit_slope(np.array([0.5, 1.0, 2.0]))
    assert -1e-6 < separated.log_likelihood <= 0
    assert np.abs(separated.by_margin).max() < 1e-6
    wrong = fit_slope(np.array([-0.5, -1.0, 0.2]))
    assert wrong.s == 0 and wrong.log_likelihood == pytest.approx(-3 * np.log(2))
    assert not wrong.by_margin.any()
    assert fit_slope(np.zeros(4)).s == 0


def test_the_prior_of_C_leads_out_of_plateaus_and_does_nothing_elsewhere():
    X, y = problem(0, n=60)
    narrow = wm.SVC(kernel=wm.Gaussian(3.0))
    free = LogPosterior(prior_of_C=JeffreysPrior(1e-3)).bind(narrow, X, y, random_state=0)
    assert free.value_and_gradient([15.0, 1.0])[1][0] == pytest.approx(1e-3)
    assert not free.any_bounded
    likelihood = BootstrapLikelihood().bind(narrow, X, y, random_state=0)
    assert likelihood.value_and_gradient([15.0, 1.0])[1][0] == 0.0
    x = [0.4, -1.0]
    posterior = LogPosterior(prior_of_C=JeffreysPrior(1e-3)).bind(svc(), X, y, random_state=0)
    plain = BootstrapLikelihood().bind(svc(), X, y, random_state=0)
    assert posterior.value_and_gradient(x)[1][0] == plain.value_and_gradient(x)[1][0]
    assert posterior.any_bounded
    chance = np.random.default_rng(0).permutation(y)
    for seed in range(20):  # a split on which the machine is worse than a coin
        lost = LogPosterior(prior_of_C=JeffreysPrior(1e-3)).bind(svc(), X, chance, random_state=seed)
        gradient = lost.value_and_gradient([-8.0, -8.0])[1]
        if lost.no_better_than_chance:
            assert gradient[0] == pytest.approx(-1e-3)
            return
    pytest.fail("no split was bad enough")


def test_the_gradient_of_the_prior_is_that_of_its_density():
    prior = NormalPrior(centre=[0.3, -1.0], width=1.7)
    slopes, _ = central_differences(prior.log_density, [1.0, 2.0])
    np.testing.assert_allclose(prior.gradient([1.0, 2.0]), slopes, rtol=1e-8)


def test_the_default_prior_is_centred_on_the_kernel_of_the_width_heuristic():
    X, y = problem(9)
    m = width_heuristic(X, y)
    radial = LogPosterior().bind(svc(), X, y).prior
    np.testing.assert_allclose(radial.centre, [-np.log(2 * m**2)])
    diagonal = LogPosterior().bind(svc(kernel=wm.ARDGaussian([1.0, 2.0])), X, y).prior
    np.testing.assert_allclose(diagonal.centre, np.full(2, -np.log(2 * m**2)))
    general = LogPosterior().bind(svc(kernel=wm.GeneralGaussian(np.eye(2))), X, y).prior
    np.testing.assert_allclose(general.centre, [-2 * np.log(m), 0.0, -2 * np.log(m)], atol=1e-12)


def test_the_posterior_is_likelihood_and_prior():
    X, y = problem(10)
    prior = NormalPrior(centre=1.0, width=0.5)
    posterior = LogPosterior(prior=prior).bind(svc(), X, y, random_state=0).value([1.0, 0.2])
    likelihood = BootstrapLikelihood().bind(svc(), X, y, random_state=0).value([1.0, 0.2])
    assert posterior == pytest.approx(likelihood + 0.8**2 / (2 * 0.5**2))


def test_objectives_are_records():
    for objective in (*OF_MACHINES.values(), *OF_KERNELS.values()):
        copy = clone(objective)
        assert repr(copy) == repr(objective)
        assert copy.get_params().keys() == objective.get_params().keys()


def test_parameters_lead_to_the_machine_they_describe():
    X, y = problem(0)
    bound = HoldOut().bind(wm.SVC(C=3.0, gamma="scale"), X, y)
    machine = bound.parameters.estimator_with(bound.parameters.start)
    assert pytest.approx(3.0) == machine.C
    assert machine.kernel.gamma == pytest.approx(1 / (2 * X.var()))
    np.testing.assert_allclose(
        machine.fit(X, y).decision_function(X), wm.SVC(C=3.0).fit(X, y).decision_function(X), atol=1e-8
    )
