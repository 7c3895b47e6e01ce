#pragma once
#include "decay.hpp"
#include "pairwise.hpp"

namespace wm {

/// k(x, z) = exp(-gamma |x - z|^2), gamma = 1 / (2 sigma^2).
using GaussianGram = PairwiseGram<SquaredDifferenceTerm, Decay>;

/// k(x, z) = exp(-sum_j weight_j (x_j - z_j)^2), with Decay{1}.
using WeightedGaussianGram = PairwiseGram<WeightedSquaredDifferenceTerm, Decay>;

/// |x - z|^2 itself, what the derivatives of the kernel need.
using SquaredDistances = PairwiseGram<SquaredDifferenceTerm, Identity>;

}  // namespace wm
