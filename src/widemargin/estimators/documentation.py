"""What the documentation of all machines has in common, written once."""

from __future__ import annotations

from textwrap import indent
from typing import Any

SECTIONS = {
    "kernel parameters": """\
kernel : str, Kernel or function, default="rbf"
    "linear", "poly", "rbf", "sigmoid", "laplacian", "precomputed", a kernel object (such as
    ``0.5 * Gaussian(2.0) + Linear()``) or a function f(A, B) that returns the matrix of kernel values of two
    blocks of rows. With a `kernels.Callable` X may be a list of any objects.
degree : int, default=3
    Degree of "poly".
gamma : {"scale", "auto"} or float, default="scale"
    Coefficient of "rbf", "poly", "sigmoid" and "laplacian": 1 / (n_features * variance of X, its rows
    weighted as in the fit), 1 / n_features, or a positive number.
coef0 : float, default=0.0
    Constant of "poly" and "sigmoid".""",
    "solver parameters": """\
shrinking : bool, default=True
    Whether to set variables aside that seem to stay at their bounds.
tol : float, default=1e-3
    KKT violation to stop at.
cache_size : float or "auto", default="auto"
    Megabytes for kernel values; three rows are always kept. "auto" is half of the memory that is free when
    the fit begins (inside a worker of joblib that half divided by the number of processors), and no more than
    the whole kernel matrix in double precision and half as much again.
verbose : bool or int, default=False
    Whether to say how far the fit is, by `logging` (logger "widemargin").
max_iter : int, default=-1
    Iterations allowed for each sub-problem; -1 for no limit.
solver : None, str or solver, default=None
    A solver object such as ``SMO(working_set="hybrid-maximum-gain")``, the name of a working set selection,
    "log-barrier" or "mehrotra" (interior-point methods, for a second opinion and for up to a few thousand
    points); None or "auto" is ``Decomposition(inner=SMO(step="planning-ahead", finish="newton"))``, and
    ``LinearDescent()`` for a linear kernel on many points of few features. Its iterations are sweeps and
    Newton steps.
n_jobs : int, optional
    Threads of `fit` and of predictions. None, unlike in scikit-learn, is all that this process may use: the
    processors given to it, at most what OMP_NUM_THREADS or threadpoolctl's `threadpool_limits` say, and 1
    inside a worker of joblib (as in ``GridSearchCV(..., n_jobs=2)``). A positive number is that many; -1 is
    all processors, -2 all but one.
warm_start : bool, default=False
    Whether `fit` goes on from the last solution, made feasible again, if the number of samples is the same;
    also after `max_iter`, `max_time` or an interruption.
max_time : float, optional
    Seconds allowed for the whole fit.
callback : function, optional
    Called about every 50 ms with the state of the solver (iteration, violation, objective, active_size,
    kernel_evaluations, seconds). If it returns True the fit ends there, without a warning, with a usable
    model and `status_` INTERRUPTED. Ctrl-C does the same and then raises KeyboardInterrupt.""",
    "classifier parameters": """\
class_weight : dict or "balanced", optional
    Factors of the price of each class; "balanced" makes them inverse to the class sizes.
decision_function_shape : {"ovr", "ovo"}, default="ovr"
    Whether `decision_function` of several classes has a score per class or a value per two-class problem.
break_ties : bool, default=False
    Whether `predict` breaks ties of votes by the decision values; needs "ovr".
random_state : int, RandomState instance or None, default=None
    Shuffles the folds of `probability`, None keeps the order of the samples; draws random codes, None always
    the same ones.
multiclass : str, Code or matrix, default="all-pairs"
    Which two-class problems several classes are made of: "all-pairs", "one-vs-all", "dag" (all pairs, asked
    one after the other), "complete" (or "exhaustive"), "dense-random", "sparse-random", "bch",
    "hill-climbing"; a `Code`, or a matrix over -1, 0 and +1 with a row for each class, in sorted order, and a
    column for each problem. See `widemargin.codes`.
decoding : str or Decoding, default="auto"
    How their values name a class. "auto" is "votes" for all pairs, "argmax" for one-vs-all, "dag" for "dag"
    and "loss" for other codes. "loss" is the least total loss of a row of the code, with the loss of the
    machine (the hinge for nu); "hamming" the row with the nearest signs. With ``probability=True`` also the
    most probable class by "bradley-terry", or for all pairs by "wu-lin-weng-1", "wu-lin-weng-2",
    "hastie-tibshirani" and "price", or for one-vs-all by "normalised", and `predict_proba` is theirs.""",
    "classifier attributes": """\
classes_ : array of shape (n_classes,)
class_weight_ : array of shape (n_classes,)
support_ : array of shape (n_support,)
    Indices of the support vectors, class by class.
support_vectors_ : array or sparse matrix of shape (n_support, n_features), or list
    Empty for a precomputed kernel.
n_support_ : array of shape (n_classes,)
    Support vectors of each class.
code_ : array of shape (n_classes, n_subproblems)
    The side of each class in each two-class problem, -1 or +1, or 0 if it stays out.
decoding_ : Decoding
dual_coef_ : array of shape (n_classes - 1, n_support), or (n_subproblems, n_support) for other codes
    Signed coefficients. All pairs: row r of a support vector of class c belongs to the pair with class r if
    r < c, and r + 1 otherwise. Sparse if X was.
intercept_ : array of shape (n_subproblems,)
coef_ : array of shape (n_subproblems, n_features)
    For the linear kernel only.
n_iter_ : array of shape (n_subproblems,)
    Iterations.
probA_, probB_ : arrays of shape (n_subproblems,)
    Parameters of the sigmoids; empty without `probability`.
n_features_in_ : int
feature_names_in_ : array of shape (n_features_in_,)
    If X had string column names.
shape_fit_ : tuple
    Shape of X.
kernel_ : Kernel
    The kernel, its parameters settled.""",
    "single attributes": """\
support_ : array of shape (n_support,)
    Indices of the support vectors.
support_vectors_ : array or sparse matrix of shape (n_support, n_features), or list
    Empty for a precomputed kernel.
n_support_ : array of shape (1,)
dual_coef_ : array of shape (1, n_support)
    Coefficients of the support vectors; sparse if X was.
intercept_ : array of shape (1,)
coef_ : array of shape (1, n_features)
    For the linear kernel only.
n_iter_ : int
    Iterations.
n_features_in_ : int
feature_names_in_ : array of shape (n_features_in_,)
    If X had string column names.
shape_fit_ : tuple
    Shape of X.
kernel_ : Kernel
    The kernel, its parameters settled.""",
    "least squares parameters": """\
lam : float, list of floats or "loo", default="loo"
    Weight of the squared norm beside the mean loss; lam times the sum of the sample weights is the ridge on
    the diagonal of K. "loo" is the lam with the least squared leave-one-out error, on a logarithmic grid that
    is refined around its best value; one decomposition serves all values, in 8/3 n^3 steps for 2000 points
    and more, and in less for linear kernels with fewer features than points and for kernel matrices of low
    rank. With the solver "cholesky", a descent from the best lam of 1000 of the points tries four to six
    values, each with a factor of its own. Of a list, the value with the least squared leave-one-out error;
    `loo_path_` has the errors of all of them. A decomposition serves the list as it serves the grid, but of
    more than 2000 points and for up to 5 values a factor each takes less time.
kernel : str, Kernel or function, default="rbf"
    As for `SVC`.
degree : int, default=3
    Degree of "poly".
gamma : {"loo", "scale", "auto"}, float or None, default=None
    Coefficient of "rbf", "poly", "sigmoid" and "laplacian". "loo" takes that of the least leave-one-out
    error: it tries multiples of "scale" by powers of 4, then of 2 and of the square root of 2 around the
    best, each with its best lam, on 2000 samples drawn at random if there are more. "scale" is 1 /
    (n_features * variance of X, its rows weighted as in the fit), "auto" 1 / n_features. None is "loo", but
    "scale" in chunks, with the solver "cg" (neither has leave-one-out) and without room for 100 samples.
coef0 : float, default=0.0
    Constant of "poly" and "sigmoid".
bias : {"none", "free", "penalised"}, default="none"
    The function is without a constant, has one that costs nothing (the least-squares SVM), or one whose
    square is part of the norm (the proximal SVM, the kernel K + 1).
centres : int, Centres, array or None, default=None
    Where the function has coefficients: at all samples (None), at so many of them drawn at random, at those
    that a rule chooses (`RandomCentres`, `PivotedCentres`, `GreedyCentres`, `LeverageCentres`), at the
    samples in these rows (a list of integers), or at the points of a matrix. With m centres a fit takes
    O(n m^2 + m^3) time and m kernel values per prediction. Where the kernel values of all samples and centres
    do not fit into `cache_size`, samples are visited in blocks; beyond 4000 centres the system is solved by
    "cg", and lam has to be a number.
approximation : {"rectangle", "nystrom", "subset"}, default="rectangle"
    With centres: the loss is summed over all samples ("rectangle"), or over the centres alone ("subset").
    "nystrom" is the machine with K_nm K_mm^-1 K_mn for a kernel, in training and in predictions: another name
    for "rectangle", with the same coefficients. Leave-one-out keeps the centres.
regularizer : {"norm", "coefficients"}, default="norm"
    What lam weighs: the squared norm c'Kc of the function, or c'c, the proximal SVM with a kernel, (K^2 + lam
    n I) c = K y. The latter is there for comparison, and for kernels that are not positive semi-definite: it
    knows nothing of how smooth a function is, squares the condition of K, costs n^3 for any kernel, and its
    leave-one-out keeps all centres: a point that is left out still lends its kernel function to the others.
solver : {"auto", "cholesky", "eigen", "primal", "cg"}, default="auto"
    Cholesky factor of K; eigenvectors of K, or from 2000 points on a band matrix that K is turned into, for a
    whole path of lam; the features of a linear kernel instead of K; conjugate gradients, preconditioned,
    which never store K. "auto" takes "primal" for linear kernels with fewer features than points, "cg" for
    large sparse linear problems and if K does not fit into `cache_size`, "eigen" to choose lam (but for a
    short list of values and more than 2000 points), and "cholesky" otherwise.
leave_one_out : bool or "auto", default="auto"
    Whether to compute `loo_predictions_` and what goes with them (`loo_residuals_`, `loo_error_`, `gcv_`).
    Wherever lam is chosen by leave-one-out, or ``gamma="loo"``, they are there in any case, also of blocks
    and chunks; with the solvers "eigen" and "primal" they come with the solution. Elsewhere "auto" computes
    them up to 4000 points. Beyond that they take as long again as the Cholesky factor, and a pass over blocks
    or chunks. "cg" has none.
tol : float, default=1e-8
    Relative residual to stop at, for "cg".
max_iter : int, default=-1
    Iterations allowed, for "cg"; -1 for no limit.
cache_size : float or "auto", default="auto"
    Megabytes for K; a solver that is named takes what it needs. "auto" is half of the memory that is free
    when the fit begins.
verbose : bool or int, default=False
    Whether to say how far a fit over blocks of samples is, by `logging` (logger "widemargin").
n_jobs : int, optional
    Threads for kernel values, in `fit` and in predictions; None is all that this process may use.""",
    "least squares attributes": """\
support_ : array of shape (n_support,)
    Indices of the samples of positive weight, or of the centres; empty if centres were given as points.
support_vectors_ : array or sparse matrix of shape (n_support, n_features), or list
    Empty for a precomputed and for a linear kernel.
intercept_ : array of shape (n_outputs,)
coef_ : array of shape (n_outputs, n_features)
    For the linear kernel only.
lam_, ridge_ : float
    The weight of the norm that was used, and what it adds to the diagonal of K.
lam_path_, loo_path_ : arrays
    The values of lam that were tried, ascending, and their mean squared leave-one-out errors; where lam was
    chosen only, for the gamma that was chosen.
gcv_ : float
    Generalised cross-validation error, where leave-one-out was computed.
solver_ : str
    The solver that was used.
n_iter_ : int
    Iterations of "cg", else 1.
n_features_in_ : int
feature_names_in_ : array of shape (n_features_in_,)
    If X had string column names.
shape_fit_ : tuple
    Shape of X.
kernel_ : Kernel
    The kernel, its parameters settled.""",
    "certificate attributes": """\
status_ : Status
    How the fit ended, the worst over the sub-problems; ``status_.sentence`` says it in words.
fit_status_ : int
    0 if optimal, 1 otherwise.
dual_objective_, primal_objective_, duality_gap_ : float
    Values of the two problems and their difference, which bounds the distance to the optimum; summed over the
    sub-problems.
kkt_violation_ : float
    Largest violation of the optimality conditions, recomputed in double precision; or what rounding of kernel
    values may hide, if that is more than tol (the status is STALLED then).
kernel_evaluations_ : int
kernel_evaluations_saved_ : int
    Classifiers only: how many more the two-class problems would have computed, each on its own: all different
    values that each of them reads. They share a table of all kernel values if it pays and `cache_size` has
    room for it; 0 otherwise.
trace_ : dict of arrays, or a list of them
    If the solver was asked to record one.""",
    "linear parameters": """\
tol : float, default=1e-4
    Stop when the duality gap is at most so much of the primal value: no weights have a value that is smaller
    by more than this part.
fit_intercept : bool, default=True
    Whether there is an intercept b.
bias : {"free", "penalised"}, default="free"
    A free intercept costs nothing, so that the machine is that of `SVC` and `SVR` with a linear kernel, and
    moving all points moves nothing but b. A penalised one is that of scikit-learn: its square, divided by
    that of `intercept_scaling`, is part of |w|^2.
intercept_scaling : float, default=1.0
    For a penalised intercept: the feature that is constant.
max_iter : int, default=-1
    Sweeps and Newton steps allowed; -1 for no limit.
max_time : float, optional
    Seconds allowed for the fit.
random_state : int, RandomState instance or None, default=None
    Of the orders in which sweeps meet the points; None is 0.
n_jobs : int, optional
    Threads for the classes of a fit, as for `SVC`; None is all that this process may use.
verbose : bool or int, default=False
    Whether to say how far the fit is, by `logging` (logger "widemargin").""",
    "linear attributes": """\
n_iter_ : int
    Sweeps and Newton steps; the most of all classes.
n_features_in_ : int
feature_names_in_ : array of shape (n_features_in_,)
    If X had string column names.
dual_objective_, primal_objective_, duality_gap_ : float
    The values reached and their difference, which bounds the distance to the optimum; sums over the classes.
status_ : Status
    How the fit ended; ``status_.sentence`` says it in words.""",
}

CHUNKS = """\
A first look at all chunks finds the number of rows, the classes, what ``gamma="scale"`` stands for,
and rows to choose centres from (for a rule other than `RandomCentres` four times as many as it
chooses). Then Phi'Phi and Phi'Y are summed up over all rows, Phi being their features in the basis
of the centres. ``lam="loo"`` takes three more passes, two of them with a grid, and leaves
`loo_predictions_`; with a given lam they take a pass, if there are at most 4000 rows or
``leave_one_out=True``. Beyond 4000 centres, and with ``solver="cg"``, each
step of a preconditioned conjugate gradient is a pass.

Memory: one chunk, about 50 MB of kernel values, and up to five matrices of m x m entries in double
precision for m centres (two for conjugate gradients). Ctrl-C and errors leave the machine as it
was."""


def documented(machine: type[Any]) -> type[Any]:
    """Put the common sections in place of their names <...> in the class's documentation."""
    text = machine.__doc__ or ""
    for name, section in SECTIONS.items():
        text = text.replace(f"    <{name}>", indent(section, "    "))
    machine.__doc__ = text
    if hasattr(machine, "fit_chunks"):
        machine.fit_chunks.__doc__ = machine.fit_chunks.__doc__.replace(
            "        <chunks>", indent(CHUNKS, "        ")
        )
    return machine
