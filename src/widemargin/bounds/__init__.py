"""Bounds on leave-one-out errors and on the risk, each with its assumptions checked."""

from widemargin.bounds.concentration import hoeffding_tail, mcdiarmid_tail, mcdiarmid_width
from widemargin.bounds.jaakkola_haussler import jaakkola_haussler
from widemargin.bounds.lipschitz import lipschitz_bound
from widemargin.bounds.margin import hard_margin_bound, soft_margin_bound
from widemargin.bounds.rademacher import (
    empirical_rademacher,
    rademacher_bound,
    rademacher_deviation,
    rademacher_of_composed,
    rademacher_of_powers,
    rademacher_of_scaled,
    rademacher_of_shifted,
    rademacher_trace_bound,
)
from widemargin.bounds.radius_margin import RadiusMargin, radius_margin
from widemargin.bounds.rifkin import rifkin, rifkin_multiclass, rifkin_of_intervals, rifkin_of_values
from widemargin.bounds.span import span_bound, span_rule, squared_spans
from widemargin.bounds.stability import multiclass_stability_bound, stability, stability_bound
from widemargin.bounds.support_vectors import fewest_support_vectors, support_vector_count
from widemargin.bounds.training_errors import code_training_errors
from widemargin.bounds.vc import vc_bound, vc_dimension

__all__ = [
    "RadiusMargin",
    "code_training_errors",
    "empirical_rademacher",
    "fewest_support_vectors",
    "hard_margin_bound",
    "hoeffding_tail",
    "jaakkola_haussler",
    "lipschitz_bound",
    "mcdiarmid_tail",
    "mcdiarmid_width",
    "multiclass_stability_bound",
    "rademacher_bound",
    "rademacher_deviation",
    "rademacher_of_composed",
    "rademacher_of_powers",
    "rademacher_of_scaled",
    "rademacher_of_shifted",
    "rademacher_trace_bound",
    "radius_margin",
    "rifkin",
    "rifkin_multiclass",
    "rifkin_of_intervals",
    "rifkin_of_values",
    "soft_margin_bound",
    "span_bound",
    "span_rule",
    "squared_spans",
    "stability",
    "stability_bound",
    "support_vector_count",
    "vc_bound",
    "vc_dimension",
]
