#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include "online/learner.hpp"
#include "solution.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace wm;
using namespace wm::bind;
using online::Learner;

namespace {

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

/// Writes a learner into a dictionary of arrays ...
struct Writer {
  nb::dict& state;
  template <class T>
  void operator()(const char* name, const std::vector<T>& values) {
    state[name] = to_numpy(std::vector<T>(values));
  }
};

/// ... and reads it from there.
struct Reader {
  const nb::dict& state;
  template <class T>
  void operator()(const char* name, std::vector<T>& values) {
    const auto array = nb::cast<Vector<T>>(state[name]);
    values.assign(array.data(), array.data() + array.size());
  }
};

template <class Archive>
void each_of_candidates(online::Candidates& c, Archive archive) {
  archive("point", c.point);
  archive("linear", c.linear);
  archive("lower", c.lower);
  archive("upper", c.upper);
  archive("alpha", c.alpha);
  archive("gradient", c.gradient);
  archive("diagonal", c.diagonal);
}

template <class Archive>
void each_of_rows(online::CandidateRows::Packed& p, Archive archive) {
  archive("row_slots", p.slots);
  archive("row_used", p.used);
  archive("row_values", p.values);
}

/// What follows from coefficients and bounds is not written down.
void place_all(online::Candidates& c) {
  c.resize(static_cast<Index>(c.point.size()));
  for (Index s = 0; s < c.slots(); ++s) c.place(s, c.alpha[s]);
  c.find_extremes();
}

std::vector<std::int64_t*> counts_of(Learner& m) {
  Counters& c = m.counters;
  return {&m.begun[0],   &m.begun[1],     &m.seen,      &m.settled,    &c.iterations,   &c.kernel_evaluations,
          &c.cache_hits, &c.cache_misses, &c.refreshes, &c.free_steps, &c.clipped_steps};
}

nb::dict state_of(Learner& m) {
  nb::dict state;
  each_of_candidates(m.candidates, Writer{state});
  auto packed = m.rows.packed();
  each_of_rows(packed, Writer{state});
  std::vector<std::int64_t> counts;
  for (const auto* count : counts_of(m)) counts.push_back(*count);
  Writer{state}("counts", counts);
  Writer{state}("travelled", std::vector<double>{m.travelled});
  return state;
}

void set_state(Learner& m, const nb::dict& state) {
  each_of_candidates(m.candidates, Reader{state});
  place_all(m.candidates);
  online::CandidateRows::Packed packed;
  each_of_rows(packed, Reader{state});
  std::vector<std::int64_t> counts;
  Reader{state}("counts", counts);
  m.rows.unpack(packed, m.candidates.size());
  std::size_t at = 0;
  for (auto* count : counts_of(m)) *count = counts[at++];
  std::vector<double> travelled;
  Reader{state}("travelled", travelled);
  m.travelled = travelled[0];
}

/// Candidates that others have found, with their coefficients; rows are computed when they are needed.
void restart(Learner& m, const nb::dict& state) {
  online::Candidates& c = m.candidates;
  each_of_candidates(c, Reader{state});
  place_all(c);
  m.rows.reset(c.size());
  m.travelled = 0.0;
  m.settled = m.seen;
}

void renumber(Learner& m, const Indices& points) {
  if (points.size() != m.candidates.point.size()) throw std::invalid_argument("One point per candidate, please.");
  m.candidates.point.assign(points.data(), points.data() + points.size());
}

std::tuple<std::size_t, bool> learn(Learner& m, const Gram& gram, const Indices& points, const Doubles& linear,
                                    const Doubles& lower, const Doubles& upper, Selection selection, double tolerance,
                                    Index most, std::int64_t initial, std::size_t cache_bytes, nb::object observer) {
  std::vector<online::Example> stream;
  for (std::size_t t = 0; t < points.size(); ++t)
    stream.push_back({points.data()[t], linear.data()[t], lower.data()[t], upper.data()[t]});
  const online::Options options{selection, tolerance, most, initial, cache_bytes};
  PythonReport report(std::move(observer));
  std::size_t learnt;
  {
    nb::gil_scoped_release release;
    Observer watch(std::ref(report));
    learnt = m.learn(gram, stream, options, watch);
  }
  return {learnt, report.interrupted};
}

}  // namespace

void bind_online(nb::module_& m) {
  nb::class_<Learner>(m, "OnlineLearner", "A two-class machine that learns from a stream; its callers check the input.")
      .def(nb::init<>())
      .def("learn", &learn, "gram"_a, "points"_a, "linear"_a, "lower"_a, "upper"_a, "selection"_a, "tolerance"_a,
           "most"_a, "initial"_a, "cache_bytes"_a, "observer"_a.none())
      .def("renumber", &renumber, "points"_a)
      .def("restart", &restart, "state"_a)
      .def("state", &state_of)
      .def("set_state", &set_state, "state"_a)
      .def_prop_ro("points", [](const Learner& l) { return to_numpy(std::vector<Index>(l.candidates.point)); })
      .def_prop_ro("alpha", [](const Learner& l) { return to_numpy(std::vector<double>(l.candidates.alpha)); })
      .def_prop_ro("offset", &Learner::offset)
      .def_prop_ro("objective", [](const Learner& l) { return l.candidates.objective(); })
      .def_prop_ro("violation", [](const Learner& l) { return std::max(0.0, l.candidates.violation()); })
      .def_prop_ro("size", [](const Learner& l) { return l.candidates.size(); })
      .def_prop_ro("seen", [](const Learner& l) { return l.seen; })
      .def_prop_ro("row_bytes", [](const Learner& l) { return l.rows.bytes(); })
      .def_prop_ro("counters", [](const Learner& l) { return counters_dict(l.counters); });
}
