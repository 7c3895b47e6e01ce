#pragma once
// A problem with a linear kernel, by its weights: sweeps of coordinate descent while they are the faster way to the
// tolerance, then Newton steps on the weights or exact steps on the free variables. What is returned is proved as for
// any other solver: from nothing but the variables, or from variables and weights where a relative gap leaves room for
// what steps have made of the latter.

#include <optional>
#include <stdexcept>

#include "../exact_steps.hpp"
#include "../solve.hpp"
#include "centred.hpp"
#include "descent.hpp"
#include "free_variables.hpp"
#include "newton.hpp"

namespace wm::linear {

struct Options {
  double constant = 0.0;      // the coordinate that stands for a penalised bias; 0: none
  bool relative_gap = false;  // the tolerance is one of gap / primal, not of the KKT violation
  bool newton = true;
  std::uint64_t seed = 0;
};

/// Throws std::invalid_argument if the problem is none for this solver.
inline void check(const wm::Problem& problem) {
  if (problem.groups() != 1) throw std::invalid_argument("A descent by weights needs a problem with a single sum.");
  for (Index v = 0; v < problem.size(); ++v)
    if (!problem.grounded(v) && problem.ridge_of(v) <= 0.0 &&
        !(std::isfinite(problem.lower[v]) && std::isfinite(problem.upper[v])))
      throw std::invalid_argument("A descent by weights needs finite bounds or a ridge: give a finite C.");
}

/// The offset with the least losses: the zero of a falling function, total - sum_v argmax of the losses.
template <class Vectors>
double best_offset(const Iterate<Vectors>& at) {
  const wm::Problem& p = at.problem();
  auto slope_of = [&](Index v) { return at.gradient(v) + p.ridge_of(v) * at.alpha[v]; };
  auto excess = [&](double r) {
    double sum = -at.total();
    at.each_variable([&](const Visit&, Index v) {
      const double h = slope_of(v) - r, ridge = p.ridge_of(v);
      sum += ridge > 0.0 ? std::clamp(h / ridge, p.lower[v], p.upper[v]) : h > 0.0 ? p.upper[v] : p.lower[v];
    });
    return sum;
  };
  double low = infinity, high = -infinity;
  at.each_variable([&](const Visit&, Index v) {
    low = std::min(low, slope_of(v));
    high = std::max(high, slope_of(v));
  });
  for (double wider = 1.0 + high - low; excess(low) < 0.0 && wider < 1e300; wider *= 2.0) low -= wider;
  for (double wider = 1.0 + high - low; excess(high) > 0.0 && wider < 1e300; wider *= 2.0) high += wider;
  for (int k = 0; k < 60 && high - low > 1e-15 * (std::abs(low) + std::abs(high)); ++k) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

template <class Vectors>
class Solver {
 public:
  Solver(const wm::Problem& problem, const Vectors& points, const Options& options, const RunOptions& run,
         Observer& observer, wm::Solution& solution)
      : options_(options),
        run_(run),
        observer_(observer),
        solution_(solution),
        counters_(solution.counters),
        at_(problem, points, options.constant, snapped_start(problem)),
        descent_(at_, options.seed) {
    for (Index v = 0; v < problem.size(); ++v)
      least_primal_ +=
          negligible * detail::best_loss(problem.linear[v], problem.ridge_of(v), problem.lower[v], problem.upper[v]);
  }

  const std::vector<double>& weights() const { return at_.weights; }

  void solve() {
    solution_.status = run();
    solution_.exact = at_.exact();
    solution_.certificate = at_.exact() ? certificate_ : unproved();
    if (satisfied(solution_.certificate) && solution_.status != Status::Interrupted)
      solution_.status = Status::Optimal;
    else if (solution_.status == Status::Optimal)
      solution_.status = Status::Stalled;
    if (at_.exact() && solution_.weights.empty()) solution_.weights = at_.weights;
    solution_.gradient = at_.gradient();
    solution_.alpha = std::move(at_.alpha);
    solution_.seconds = observer_.seconds();
    observer_.report_end({counters_.iterations, solution_.certificate.violation, solution_.certificate.dual,
                          at_.problem().size(), 0, solution_.seconds});
  }

 private:
  Status run() {
    if (!at_.rebuild(look())) return finish(status_);
    if (std::any_of(at_.alpha.begin(), at_.alpha.end(), [](double a) { return a != 0.0; })) {
      if (verified()) return conclude();
      if (stopped_) return finish(status_);
      at_.offset = certificate_.offset[0];
    }
    while (true) {
      if (told_to_stop() || out_of_iterations()) return finish(status_);
      const bool whole = !descent_.shrunk();
      seen_ = descent_.sweep(run_.shrinking, look());
      if (stopped_) return finish(status_);
      ++counters_.iterations;
      ++counters_.rounds;
      counters_.shrinks += descent_.shrunk();
      measures_.push_back(measure());
      sweeps_work_ += active_work();
      record();
      if (measure() <= aim_ * run_.stop.tolerance || seen_.moved == 0) {
        if (verified()) return conclude();
        if (stopped_) return finish(status_);
        if (!whole) ++counters_.unshrinks;
        const bool rebalanced = seen_.moved == 0 && rebalance();
        if (whole && !rebalanced && (seen_.moved == 0 || (aim_ *= 0.5) < 1e-6)) return finish(Status::Stalled);
        descent_.activate_all();
      }
      if (newton_pays())
        if (const auto status = take_newton_steps()) return *status;
      if (exact_steps_pay() && !out_of_iterations()) take_exact_steps();
    }
  }

  /// Takes the offset with the least losses where all variables stay at their bounds: sweeps move it by little.
  bool rebalance() {
    if (!at_.has_free_bias() || ++rebalances_ > most_rebalances) return false;
    const double before = at_.offset;
    at_.offset = best_offset(at_);
    return at_.offset != before;
  }

  /// What the last sweep makes of what the tolerance is about.
  double measure() const {
    if (options_.relative_gap) return seen_.gap / std::max(seen_.primal, least_primal_);
    return at_.has_free_bias() ? 2.0 * seen_.violation : seen_.violation;
  }

  double measure(const Certificate& c) const {
    return options_.relative_gap ? c.gap / std::max(c.primal, least_primal_) : c.violation;
  }

  bool satisfied(const Certificate& c) const { return measure(c) <= run_.stop.tolerance; }

  bool told_to_stop() {
    return stopped_ |= observer_.must_stop(run_.stop, status_, [&] { return progress(); });
  }

  auto look() {
    return [this] { return told_to_stop(); };
  }

  std::int64_t iterations_left() const {
    const std::int64_t limit = run_.stop.max_iterations;
    return limit < 0 ? std::numeric_limits<std::int64_t>::max() : limit - counters_.iterations;
  }

  bool out_of_iterations() {
    if (iterations_left() > 0) return false;
    status_ = Status::MaxIterations;
    return true;
  }

  Progress progress() const {
    return {counters_.iterations,
            measures_.empty() ? infinity : measures_.back(),
            seen_.primal - seen_.gap,
            static_cast<Index>(descent_.active()),
            0,
            observer_.seconds()};
  }

  void record() {
    if (solution_.trace.due(counters_.rounds))
      solution_.trace.record(progress(), 0, 0, 0, {static_cast<double>(seen_.moved), 0.0, StepKind::Free});
  }

  /// Whether the variables as they are keep the tolerance; looks at all of them.
  bool verified() {
    if (!certify_now(look())) return false;
    return satisfied(certificate_);
  }

  /// The certificate of the variables as they are, their weights summed up anew unless they may drift.
  template <class MustStop>
  bool certify_now(MustStop must_stop) {
    at_.restore_sum();
    return (tolerates_drift() || at_.rebuild(must_stop)) && certify_weights(must_stop);
  }

  /// Takes other variables, and their certificate.
  template <class MustStop>
  bool return_to(const std::vector<double>& alpha, MustStop must_stop) {
    at_.alpha = alpha;
    at_.restore_sum();
    return at_.rebuild(must_stop) && certify_weights(must_stop);
  }

  /// Whether weights may be wrong by what rounding makes of them, step by step.
  bool tolerates_drift() const {
    return options_.relative_gap && run_.stop.polish == 0 && run_.stop.tolerance >= drift;
  }

  /// The certificate of variables and weights as they are.
  template <class MustStop>
  bool certify_weights(MustStop must_stop) {
    ++counters_.refreshes;
    if (!at_.differentiate(must_stop)) return false;
    certificate_ = certify(at_);
    if (options_.relative_gap && at_.has_free_bias()) choose_offset();
    if (kept_.empty() || measure(certificate_) < kept_measure_) {
      kept_ = at_.alpha;
      kept_measure_ = measure(certificate_);
    }
    return true;
  }

  /// The offset of the free variables is exact at a solution; before, another has a smaller gap.
  void choose_offset() {
    const std::vector<double> best = {best_offset(at_)};
    const double gap = detail::duality_gap(at_, best);
    if (gap >= certificate_.gap) return;
    certificate_.offset = best;
    certificate_.gap = gap;
    certificate_.primal = certificate_.dual + gap;
  }

  /// Whether the sweeps that the last ones let expect take longer than Newton steps, or those so far have; after Newton
  /// steps that led nowhere, only the latter.
  bool newton_pays() const {
    constexpr double few_sweeps = 12.0;  // hardly ever enough
    if (!options_.newton || too_wide()) return false;
    // Measured: about so many steps, with so much fewer variables inside as sigma grows.
    const bool proximal = at_.problem().ridge.empty();
    const double steps = proximal ? 15.0 : 8.0, share = proximal ? 0.3 : 1.0;
    const double work = steps * Newton<Vectors>::work(at_, share * inside());
    if (sweeps_work_ > patience_ * work) return true;
    if (patience_ > 1.0) return false;
    if (!proximal && work <= few_sweeps * at_.sweep_work()) return true;
    return sweeps_take_longer(work, 2);
  }

  /// Whether there are too many features for a system of weights.
  bool too_wide() const { return std::isinf(Newton<Vectors>::work(at_, 0.0)); }

  /// Whether the sweeps that are left, by the progress of the last ones, would take more work.
  bool sweeps_take_longer(double work, std::size_t last) const {
    if (measures_.size() <= last) return false;
    const double now = measures_.back(), before = measures_[measures_.size() - 1 - last];
    const double rate = std::log(before / now) / last, left = std::log(now / (aim_ * run_.stop.tolerance));
    return left > 0.0 && !(rate * work > left * active_work());
  }

  /// Variables strictly inside their bounds.
  double inside() const {
    double count = 0.0;
    at_.each_variable([&](const Visit&, Index v) { count += at_.is_free(v); });
    return count;
  }

  /// Whether steps on the free variables are the faster way, where there are too many features for steps on weights.
  bool exact_steps_pay() const {
    constexpr double doubt = 4.0;
    if (!options_.newton || !too_wide()) return false;
    const double work = FreeVariables<Vectors>::work(at_, inside());
    return sweeps_work_ >= work && sweeps_take_longer(doubt * work, 5);
  }

  void take_exact_steps() {
    at_.restore_sum();
    FreeVariables<Vectors> free(at_);
    ExactSteps steps(free);
    steps.improve(4.0 * steps.work(), look());
    steps.store(look());
    if (at_.has_free_bias()) at_.offset = FreeVariables<Vectors>(at_).mean_gradient(at_.offset);
    ++counters_.iterations;
    ++counters_.newton_rounds;
    measures_.clear();
    sweeps_work_ = 0.0;
  }

  double active_work() const {
    return at_.sweep_work() * static_cast<double>(descent_.active()) / static_cast<double>(at_.visits().size());
  }

  /// Rounds of the proximal method until the tolerance is kept; nothing if they lead nowhere.
  std::optional<Status> take_newton_steps() {
    if (out_of_iterations()) return finish(status_);
    at_.restore_sum();
    if (!certify_weights(look())) return finish(status_);
    Newton<Vectors> newton(at_);
    for (int bad = 0; bad < 3;) {
      if (!newton_round(newton, accuracy(), bad)) return finish(status_);
      if (satisfied(certificate_)) return conclude();
      if (told_to_stop() || out_of_iterations()) return finish(status_);
    }
    descent_.activate_all();
    measures_.clear();
    sweeps_work_ = 0.0;
    patience_ *= 4.0;
    return std::nullopt;
  }

  /// Of a round: a part of the gap, but no more than the tolerance asks for.
  double accuracy() const {
    const double enough = options_.relative_gap ? 0.1 * run_.stop.tolerance * certificate_.primal : 0.0;
    return std::max(0.01 * certificate_.gap, enough);
  }

  /// A minimum around the variables as they are, and its certificate; false if told to stop. In exact arithmetic the
  /// dual value rises with every round, unlike gap and violation; where neither does well, sigma times the rounding of
  /// values is too large, and the round is taken back.
  bool newton_round(Newton<Vectors>& newton, double accuracy, int& bad) {
    const Certificate last = certificate_;
    const std::vector<double> centre = at_.alpha;
    const std::int64_t before = newton.steps();
    const auto is_enough = [&](double distance) { return proved_at(newton, distance); };
    const bool done = newton.minimise(accuracy, nothing * std::abs(last.primal), iterations_left(), is_enough, look());
    const std::int64_t steps = newton.steps() - before;
    counters_.iterations += steps;
    counters_.newton_rounds += steps;
    if (!solution_.weights.empty()) return true;
    if (!done || !certify_now(look())) return false;
    const double gain = certificate_.dual - last.dual;
    const bool better = gain > 1e-3 * last.gap || measure(certificate_) <= 0.5 * measure(last);
    bad = better ? 0 : bad + 1;
    if (better || measure(certificate_) <= measure(last)) {
      if (!blunted_) newton.sharpen(steps <= 10 ? 10.0 : steps <= 20 ? 5.0 : 3.0);
      return true;
    }
    blunted_ = true;
    newton.sharpen(0.1);
    return return_to(centre, look());
  }

  /// Whether the weights u of a Newton step and the variables a it has given keep a relative gap together: weights are
  /// good before those of their variables are. With h_v at u, the primal value at u less the dual value at a is
  ///
  ///   sum_v ( max { h_v t - ridge_v t^2 / 2 } - h_v a_v + ridge_v a_v^2 / 2 ) + 1/2 |u - w|^2,   w = sum_v a_v x_v.
  bool proved_at(const Newton<Vectors>& newton, double distance) {
    if (!tolerates_drift() || at_.has_free_bias()) return false;
    if (distance > run_.stop.tolerance * certificate_.primal) return false;
    at_.restore_sum();
    at_.differentiate_at(newton.values());
    Certificate together = certify(at_);
    for (std::size_t j = 0; j < at_.weights.size(); ++j)
      together.dual += 0.5 * (newton.weights()[j] - at_.weights[j]) * at_.weights[j];
    together.gap += distance;
    together.primal = together.dual + together.gap;
    if (!satisfied(together)) return false;
    certificate_ = together;
    solution_.weights = newton.weights();
    return true;
  }

  /// The tolerance is kept: goes on to rounding if that is asked for.
  Status conclude() {
    if (run_.stop.polish > 0 && !too_wide()) {
      Newton<Vectors> newton(at_);
      blunted_ = false;
      const auto is_rough = [&] { return certificate_.gap > rounding * certificate_.primal; };
      for (int round = 0, bad = 0; round < most_rounds && bad < 3 && is_rough() && iterations_left() > 0; ++round)
        if (!newton_round(newton, 0.0, bad)) break;
      return finish(Status::Optimal);
    }
    return Status::Optimal;
  }

  /// Leaves with the best certificate, unless somebody is waiting and it would take long.
  Status finish(Status why) {
    const double patience = stopped_ ? (status_ == Status::Interrupted ? 0.02 : 0.1) : infinity;
    const double deadline = observer_.seconds() + patience;
    const auto late = [&] { return observer_.seconds() > deadline; };
    if (!at_.exact() && !certify_now(late)) return why;
    if (kept_.size() == at_.alpha.size() && kept_measure_ < measure(certificate_)) return_to(kept_, late);
    return why;
  }

  Certificate unproved() const {
    return {-infinity, infinity, infinity, infinity, {at_.offset}, {at_.offset}, {at_.offset}};
  }

  static constexpr int most_rounds = 20;  // of polishing
  static constexpr int most_rebalances = 20;
  static constexpr double negligible = 1e-9;                  // of the losses at zero, a primal value
  static constexpr double rounding = 2e-15, nothing = 1e-22;  // of the primal value
  static constexpr double drift = 1e-6;  // of it, more than rounding makes of weights where features differ widely

  const Options& options_;
  const RunOptions& run_;
  Observer& observer_;
  wm::Solution& solution_;
  Counters& counters_;
  Iterate<Vectors> at_;
  Descent<Vectors> descent_;
  Seen seen_;
  std::vector<double> measures_;  // after each sweep
  Certificate certificate_{};
  std::vector<double> kept_;  // the variables of the best certificate
  double kept_measure_ = infinity;
  double aim_ = 0.7;
  double least_primal_ = 1e-300;  // the gap is relative to no less
  int rebalances_ = 0;
  Status status_ = Status::Optimal;
  bool stopped_ = false;
  double sweeps_work_ = 0.0, patience_ = 1.0;  // in units of the Newton steps that might take their place
  bool blunted_ = false;                       // a sigma was too large
};

/// On centred points where that pays; offsets and gradient are those of the points as they are.
template <class Vectors>
void solve_on(const wm::Problem& problem, const Vectors& points, const Options& options, const RunOptions& run,
              Observer& observer, wm::Solution& solution) {
  if constexpr (!Vectors::sparse) {
    const auto must_stop = [&] {
      Status why;
      const auto start = [&] { return Progress{0, infinity, -infinity, problem.size(), 0, observer.seconds()}; };
      return observer.must_stop(run.stop, why, start);
    };
    if (centring_pays(problem, points, must_stop))
      if (const CentredPoints centred(problem, points, must_stop); centred.whole()) {
        Solver solver(problem, centred, options, run, observer, solution);
        solver.solve();
        const double shift = centred.at_mean(solver.weights());
        for (double& g : solution.gradient) g -= shift;
        for (auto* offset :
             {&solution.certificate.offset, &solution.certificate.offset_low, &solution.certificate.offset_high})
          (*offset)[0] -= shift;
        return;
      }
  }
  Solver(problem, points, options, run, observer, solution).solve();
}

inline wm::Solution solve(const wm::Problem& problem, const Points& points, const Options& options,
                          const RunOptions& run, Observer& observer, std::int64_t trace_every) {
  check(problem);
  wm::Solution solution{};
  solution.trace.every = trace_every;
  std::visit([&](const auto& vectors) { solve_on(problem, vectors, options, run, observer, solution); }, points);
  return solution;
}

}  // namespace wm::linear
