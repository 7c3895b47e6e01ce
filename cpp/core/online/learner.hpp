#pragma once
// LASVM: an SVM that learns from a stream (Bordes, Ertekin, Weston, Bottou 2005; with second-order selection
// Glasmachers 2008, chapter 8). Of the program in problem.hpp, with one sum of zero, it knows the candidates S only:
//
//   for each example k:
//     process(k)    if k is not in S: G_k = linear_k - sum_s a_s K_ks; it joins S with a_k = 0 if it forms a violating
//                   pair with some candidate; a step along the pair that the policy prefers
//     reprocess()   a step along the pair of the policy among S; candidates without a coefficient that no partner could
//                   give one leave
//
// Where not all rows are kept, second-order selection prefers partners whose row is at hand to somewhat better ones.
//
// Every step raises the objective. An example costs one kernel row among S and a few passes over it. The first few
// examples of each side stay whatever they are, since a first one has no partner; some more as long as there is but
// one side.
//
// A full S takes no newcomers until somebody leaves: reprocess() goes on to the solution of those it has. To let others
// go for them would be to forget at random: the newcomers that violate are not a fair sample of the stream, and a
// machine made of the latest of them does not come to rest.

#include <array>
#include <cmath>

#include "../observer.hpp"
#include "candidate_rows.hpp"
#include "lookahead.hpp"
#include "partner.hpp"

namespace wm::online {

struct Options {
  Selection selection = Selection::SecondOrder;
  double tolerance = 1e-3;    // smaller violations are left alone
  Index most = 10000;         // candidates
  std::int64_t initial = 50;  // examples of each side that stay in any case
  std::size_t cache_bytes = std::size_t{200} << 20;
};

class Learner {
 public:
  Learner() = default;
  Learner(const Learner&) = delete;
  Learner& operator=(const Learner&) = delete;

  Candidates candidates;
  CandidateRows rows;
  Counters counters;
  std::array<std::int64_t, 2> begun{};  // examples kept whatever they are, by side
  std::int64_t seen = 0;
  double travelled = 0.0;  // the way the coefficients have gone since the gradient was last computed from them
  std::int64_t settled = 0;

  /// Learns the examples one after the other; returns how many, fewer than all if told to stop.
  std::size_t learn(const Gram& gram, std::span<const Example> stream, const Options& options, Observer& observer) {
    Visit visit(*this, gram, options);
    Status status;
    for (std::size_t t = 0; t < stream.size(); ++t) {
      if (observer.must_stop({}, status, [&] { return progress(observer); })) return t;
      visit.look_ahead(stream.subspan(t));
      visit.process(stream[t]);
      visit.reprocess();
      ++seen;
      visit.settle_if_due();
    }
    return stream.size();
  }

  /// The bias: the mean gradient of the free candidates; without any, what lies between the two sides.
  double offset() const {
    double sum = 0.0;
    Index count = 0;
    for (Index s = 0; s < candidates.slots(); ++s)
      if (candidates.rise[s] > 0.0 && candidates.fall[s] > 0.0) sum += candidates.gradient[s], ++count;
    if (count > 0) return sum / count;
    const double high = candidates.extremes.high, low = candidates.extremes.low;
    if (std::isinf(high)) return std::isinf(low) ? 0.0 : low;
    return std::isinf(low) ? high : 0.5 * (high + low);
  }

 private:
  static constexpr std::int64_t alone = 256;  // examples that stay of a side that is the only one so far

  Progress progress(const Observer& observer) const {
    return {counters.iterations, candidates.violation(),      candidates.objective(),
            candidates.size(),   counters.kernel_evaluations, observer.seconds()};
  }

  /// What is there for as long as the Gram is.
  class Visit {
   public:
    Visit(Learner& learner, const Gram& gram, const Options& options)
        : m_(learner), c_(learner.candidates), gram_(gram), options_(options), slot_(gram.rows(), -1), ahead_(gram) {
      for (Index s = 0; s < c_.slots(); ++s) slot_[c_.point[s]] = s;
      m_.rows.set_limits(options.cache_bytes, std::max(options.most, c_.slots()));
    }

    /// No slot is vacant between two visits: its point may be gone by then.
    ~Visit() {
      m_.rows.complete_all();
      for (Index s = c_.slots(); s-- > 0;)
        if (c_.is_vacant(s)) c_.remove(s), m_.rows.remove(s);
      c_.find_extremes();
    }

    void look_ahead(std::span<const Example> next) {
      const Index now = next.front().point;
      if (is_full() || slot_[now] >= 0 || ahead_.knows(now)) return;
      std::vector<Index> points;
      for (const Example& e : next.first(std::min(next.size(), Lookahead::examples(c_.size()))))
        if (slot_[e.point] < 0) points.push_back(e.point);
      ahead_.look(std::move(points), c_.point, m_.counters);
    }

    void process(const Example& e) {
      if (slot_[e.point] < 0 && (is_full() || !enter(e))) return;
      const Index k = slot_[e.point];
      if (const Index p = partner(k); p >= 0) improve(k, p);
      if (c_.alpha[k] == 0.0 && !is_beginning()) {
        leave(k);
        c_.find_extremes();
      }
    }

    void reprocess() {
      if (!(c_.violation() > options_.tolerance)) return;
      const Index up = c_.extremes.up, down = c_.extremes.down;
      const Index first = m_.rows.has(up) || !m_.rows.has(down) ? up : down;
      improve(first, partner(first));
      if (is_beginning()) return;
      bool any = false;
      for (Index s = c_.next_idle(0); s < c_.slots(); s = c_.next_idle(s + 1)) leave(s), any = true;
      if (any) c_.find_extremes();
    }

    /// Rounding of the rows, which are in single precision, adds up in the gradient: it is computed again when that
    /// could matter, but not so often that it would cost more than learning does.
    void settle_if_due() {
      if (m_.seen - m_.settled < 8 * std::int64_t{c_.size()}) return;
      if (gram_.rounding(Arithmetic::Single) * m_.travelled <= options_.tolerance) return;
      std::vector<Index> points;
      std::vector<double> weights, product(c_.slots(), 0.0);
      for (Index s = 0; s < c_.slots(); ++s)
        if (c_.alpha[s] != 0.0) points.push_back(c_.point[s]), weights.push_back(c_.alpha[s]);
      gram_.accumulate(points, weights, c_.point, product.data());
      m_.counters.kernel_evaluations += static_cast<std::int64_t>(points.size()) * c_.slots();
      ++m_.counters.refreshes;
      for (Index s = 0; s < c_.slots(); ++s) c_.gradient[s] = c_.linear[s] - product[s];
      c_.find_extremes();
      m_.travelled = 0.0;
      m_.settled = m_.seen;
    }

   private:
    bool is_full() const { return c_.size() >= options_.most; }
    bool unpaired() const { return c_.extremes.up < 0 || c_.extremes.down < 0; }

    /// As long as there are few examples of a side, those of both sides stay.
    bool is_beginning() const {
      return std::min(m_.begun[0], m_.begun[1]) < options_.initial && c_.size() <= 4 * alone;
    }

    bool is_early(const Example& e) const {
      const int side = e.can_rise() ? 0 : 1;
      const std::int64_t enough = m_.begun[1 - side] > 0 ? options_.initial : alone;
      return m_.begun[side] < std::min<std::int64_t>(enough, options_.most / 2);
    }

    bool enter(const Example& e) {
      const double G = meet(e);
      const double tol = options_.tolerance;
      const bool violates = (e.can_rise() && G > c_.extremes.low + tol) || (e.can_fall() && G < c_.extremes.high - tol);
      if (!violates && !is_early(e)) return false;
      if (is_early(e)) ++m_.begun[e.can_rise() ? 0 : 1];
      const Index k = c_.next_slot();
      const double K_kk = diagonal(e.point);
      newcomer_.resize(std::max(k + 1, c_.slots()));
      newcomer_[k] = static_cast<float>(K_kk);
      slot_[e.point] = k;
      m_.rows.insert(k, newcomer_);
      c_.insert(e, G, K_kk);
      return true;
    }

    /// The kernels of an example with all slots, into newcomer_, and its gradient.
    double meet(const Example& e) {
      newcomer_.resize(c_.slots());
      if (ahead_.knows(e.point))
        ahead_.row(e.point, c_.point, newcomer_.data());
      else
        compute(e.point, newcomer_.data());
      double product = 0.0;
      sweep::products<float>({newcomer_.data()}, c_.alpha.data(), &product, c_.slots());
      return e.linear - product;
    }

    void leave(Index s) {
      slot_[c_.point[s]] = -1;
      c_.leave(s);
      m_.rows.leave(s);
    }

    Index partner(Index k) {
      if (unpaired()) return -1;
      return options_.selection == Selection::SecondOrder ? second_order_partner(c_, k, row(k), m_.rows.favour())
                                                          : most_violating_partner(c_, k);
    }

    /// A step along the pair of s and p, in the direction that violates.
    void improve(Index s, Index p) {
      const Pair pair = pair_of(c_, s, p, row(s)[p]);
      const double room = std::min(c_.rise[pair.i], c_.fall[pair.j]);
      const bool curved = pair.curvature > sweep::flat(c_.diagonal[pair.i], c_.diagonal[pair.j]);
      const double newton = curved ? pair.slope / pair.curvature : infinity;
      ++(newton < room ? m_.counters.free_steps : m_.counters.clipped_steps);
      ++m_.counters.iterations;
      move(pair.i, pair.j, std::min(newton, room));
    }

    /// a_i += step, a_j -= step; gradient and extremes follow.
    void move(Index i, Index j, double step) {
      const float* const row_i = row(i);
      const float* const row_j = row(j);
      c_.add(i, step);
      c_.add(j, -step);
      m_.travelled += 2.0 * step;
      c_.extremes = sweep::update(row_i, row_j, sweep::Straight{}, step, c_.gradient.data(), c_.rise.data(),
                                  c_.fall.data(), 0, c_.slots());
      for (const Index s : {i, j})  // at a bound it is not likely to move again soon
        if (!(c_.rise[s] > 0.0 && c_.fall[s] > 0.0)) m_.rows.demote(s);
    }

    const float* row(Index s) {
      if (m_.rows.has(s)) {
        ++m_.counters.cache_hits;
        return m_.rows.use(s);
      }
      ++m_.counters.cache_misses;
      std::vector<float> values(c_.slots());  // before a place is made: it may fail
      compute(c_.point[s], values.data());
      float* const place = m_.rows.admit(s);
      std::copy(values.begin(), values.end(), place);
      return place;
    }

    void compute(Index point, float* out) {
      gram_.block({&point, 1}, c_.point, out);
      m_.counters.kernel_evaluations += c_.slots();
    }

    double diagonal(Index point) const {
      const auto all = gram_.kept_diagonal();
      return all.size() == 1 ? all[0] : all[point];
    }

    Learner& m_;
    Candidates& c_;
    const Gram& gram_;
    const Options& options_;
    std::vector<Index> slot_;  // by point; -1: no candidate
    Lookahead ahead_;
    std::vector<float> newcomer_;
  };
};

}  // namespace wm::online
