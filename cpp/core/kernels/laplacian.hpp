#pragma once
#include "decay.hpp"
#include "pairwise.hpp"

namespace wm {

/// k(x, z) = exp(-gamma |x - z|_1).
using LaplacianGram = PairwiseGram<AbsoluteDifferenceTerm, Decay>;

/// |x - z|_1 itself, what the derivatives of the kernel need.
using AbsoluteDistances = PairwiseGram<AbsoluteDifferenceTerm, Identity>;

}  // namespace wm
