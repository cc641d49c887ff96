// The engine's Python face: stores of rows, programs, and the run over them.
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "../decomposition/decomposition.h"
#include "../decomposition/in_step.h"
#include "arrays.h"
#include "listener.h"
#include "sources.h"

namespace maxmargin::bindings {
namespace {

using namespace nb::literals;
using decomposition::Ending;
using decomposition::Program;
using rows::Execution;

// Increasing cuts from the first point to behind the last.
std::vector<int64_t> checked(const Vector<int64_t>& cuts, int64_t n_points) {
  std::vector<int64_t> boundaries(cuts.data(), cuts.data() + cuts.size());
  const bool increase = std::is_sorted(boundaries.begin(), boundaries.end(), std::less_equal<>());
  if (boundaries.size() < 2 || boundaries.front() != 0 || boundaries.back() != n_points || !increase) {
    throw nb::value_error("the boundaries must increase from 0 to the number of points");
  }
  return boundaries;
}

// The rows of a source that are kept from run to run.
template <class T>
struct HeldStore {
  nb::object source;
  std::vector<int64_t> boundaries;
  rows::RowStore<T> store;

  HeldStore(nb::object held, Vector<int64_t> cuts, int64_t budget)
      : source(held),
        boundaries(checked(cuts, nb::cast<const HeldSource<T>&>(held).source->n_points())),
        store(*nb::cast<const HeldSource<T>&>(held).source, boundaries, budget) {}
};

Program make_program(Vector<int64_t> point, Vector<double> direction, Vector<double> low,
                     Vector<double> high, Vector<double> linear, Vector<double> ridge,
                     Vector<int64_t> group, Vector<double> value, Matrix<double> shares) {
  Program program;
  const size_t n = point.size();
  for (const size_t size : {direction.size(), low.size(), high.size(), linear.size(), ridge.size(),
                            group.size(), value.size()}) {
    if (size != n) throw nb::value_error("the arrays of a program differ in length");
  }
  program.point.assign(point.data(), point.data() + n);
  program.direction = copied(direction);
  program.low = copied(low);
  program.high = copied(high);
  program.linear = copied(linear);
  program.ridge = copied(ridge);
  program.value = copied(value);
  program.n_parts = static_cast<int32_t>(extent(shares, 0));
  if (program.n_parts > 0 && extent(shares, 1) != static_cast<int64_t>(n)) {
    throw nb::value_error("the shares must have a column for each variable");
  }
  program.shares.assign(shares.data(), shares.data() + shares.size());
  bool loose = n == 0;
  for (size_t v = 0; v < n; ++v) {
    loose = loose || group.data()[v] < 0;
    program.group.push_back(static_cast<int32_t>(std::max<int64_t>(group.data()[v], 0)));
    program.n_groups = std::max(program.n_groups, program.group.back() + 1);
  }
  if (loose) program.add_slack_variable();
  return program;
}

struct Result {
  decomposition::Outcome outcome{Ending::interrupted, {}};
  bool is_late = false;  // whether its share of the time ended it
  std::vector<double> gradient, similarities, parts;
};

const char* name_of(Ending ending, const std::string& reason) {
  switch (ending) {
    case Ending::converged: return "converged";
    case Ending::steps: return "steps";
    case Ending::stalled: return "stalled";
    default: return reason.c_str();
  }
}

const std::string out_of_time = "seconds";

// The programs of one call, and what has become of them.
template <class T>
class Runs {
 public:
  Runs(rows::RowStore<T>& store, const std::vector<Program*>& programs,
       std::vector<std::vector<double>> known, const decomposition::Limits& limits,
       Listener& listener)
      : store_(store),
        programs_(programs),
        known_(std::move(known)),
        limits_(limits),
        listener_(listener),
        results_(programs.size()),
        n_left_(static_cast<int64_t>(programs.size())) {}

  // Small programs run side by side and leave the store alone; large ones share it in turn, up to
  // `in_step` of them at once.
  void run(int n_threads, int64_t in_step) {
    const threads::ShouldStop should_stop = [&] { return listener_.should_stop(); };
    const std::vector<int64_t> small = small_ones();
    const auto solve_small = [&](int64_t task, threads::Worker&) {
      // Programs that run at the same time need not share it.
      const int64_t in_turn = (n_left_-- + n_threads - 1) / std::max(n_threads, 1);
      solve({&small[task], 1}, 1, listener_.share(in_turn));
    };
    try {
      threads::parallel_for(static_cast<int64_t>(small.size()), n_threads, solve_small, should_stop);
      for (const std::vector<int64_t>& group : large_ones(in_step)) {
        const auto count = static_cast<int64_t>(group.size());
        solve(group, n_threads, static_cast<double>(count) * listener_.share(n_left_));
        n_left_ -= count;
      }
    } catch (const threads::Interrupted&) {
    }
  }

  nb::list answers() const {
    nb::list answers;
    for (size_t k = 0; k < programs_.size(); ++k) {
      const auto& [outcome, is_late, gradient, similarities, parts] = results_[k];
      const std::string& reason = is_late ? out_of_time : listener_.reason();
      answers.append(nb::make_tuple(as_array(programs_[k]->value, programs_[k]->size()),
                                    as_array(gradient, gradient.size()),
                                    outcome.progress.violation, outcome.progress.steps,
                                    name_of(outcome.ending, reason),
                                    as_array(similarities, similarities.size()),
                                    as_array(parts, parts.size())));
    }
    return answers;
  }

 private:
  using Solver = decomposition::Decomposition<T>;

  bool is_small(int64_t k) const {
    return programs_.size() > 1 && programs_[k]->size() <= limits_.whole_up_to;
  }

  std::vector<int64_t> small_ones() const {
    std::vector<int64_t> small;
    for (int64_t k = 0; k < static_cast<int64_t>(programs_.size()); ++k) {
      if (is_small(k)) small.push_back(k);
    }
    return small;
  }

  // In groups that go in step: from known sums, and over the same points.
  std::vector<std::vector<int64_t>> large_ones(int64_t in_step) const {
    const auto may_go_in_step = [&](int64_t k) {
      return !known_[k].empty() && programs_[k]->n_parts == 0;
    };
    std::vector<std::vector<int64_t>> groups;
    for (int64_t k = 0; k < static_cast<int64_t>(programs_.size()); ++k) {
      if (is_small(k)) continue;
      const bool joins = !groups.empty() && static_cast<int64_t>(groups.back().size()) < in_step &&
                         may_go_in_step(k) && may_go_in_step(groups.back()[0]) &&
                         programs_[k]->point == programs_[groups.back()[0]]->point;
      if (!joins) groups.emplace_back();
      groups.back().push_back(k);
    }
    return groups;
  }

  // Programs that have used their share of the time leave the rest to the others.
  void solve(std::span<const int64_t> which, int n_threads, double share) {
    if (listener_.has_stopped()) return;
    const auto began = Listener::Clock::now();
    std::atomic<bool> is_late = false;
    const threads::ShouldStop ends = [&] {
      if (share >= 0 && Listener::since(began) >= share) is_late = true;
      return is_late || listener_.should_stop();
    };
    const Execution execution{n_threads, ends};
    std::vector<decomposition::Report> reports;
    for (const int64_t k : which) {
      reports.push_back([this, k](const decomposition::Progress& now) {
        listener_.report(k, {now.steps, now.violation, now.primal, now.dual});
      });
    }
    std::vector<std::unique_ptr<Solver>> held;
    std::vector<Solver*> solvers;
    std::vector<std::vector<double>> starts;
    for (size_t i = 0; i < which.size(); ++i) {
      Program& program = *programs_[which[i]];
      held.push_back(std::make_unique<Solver>(program, store_, limits_, execution, reports[i]));
      solvers.push_back(held.back().get());
      starts.push_back(std::move(known_[which[i]]));
    }
    std::vector<decomposition::Outcome> outcomes;
    if (which.size() == 1) {
      outcomes.push_back(solvers[0]->run(std::move(starts[0])));
    } else {
      outcomes = decomposition::run_in_step<T>(solvers, std::move(starts), execution);
    }
    for (size_t i = 0; i < which.size(); ++i) {
      keep(results_[which[i]], outcomes[i], is_late, *solvers[i]);
      listener_.program_done();
    }
  }

  static void keep(Result& result, const decomposition::Outcome& outcome, bool is_late,
                   const Solver& solver) {
    result.outcome = outcome;
    result.is_late = is_late;
    result.gradient = solver.gradient();
    if (solver.takes_all()) return;
    result.similarities = solver.similarities();
    result.parts = solver.parts();
  }

  rows::RowStore<T>& store_;
  const std::vector<Program*>& programs_;
  std::vector<std::vector<double>> known_;
  const decomposition::Limits limits_;
  Listener& listener_;
  std::vector<Result> results_;
  std::atomic<int64_t> n_left_;
};

template <class T>
nb::list decompose(HeldStore<T>& held, std::vector<Program*> programs,
                   std::vector<nb::object> similarities, double tolerance, int64_t most_steps,
                   int64_t working_set, int64_t whole_up_to, int64_t widest, int64_t in_step,
                   int n_threads, double seconds, nb::object watch) {
  const int64_t n_points = held.store.source().n_points();
  if (similarities.size() != programs.size()) {
    throw nb::value_error("there must be as many similarities as programs");
  }
  for (const Program* program : programs) {
    for (const int64_t point : program->point) {
      if (point >= n_points || point < decomposition::no_point) {
        throw nb::value_error("a program's point lies outside the data");
      }
    }
  }
  std::vector<std::vector<double>> known(programs.size());
  for (size_t k = 0; k < similarities.size(); ++k) {
    if (!similarities[k].is_none()) known[k] = copied(nb::cast<Vector<double>>(similarities[k]));
  }
  Listener listener(watch, seconds);
  Runs<T> runs(held.store, programs, std::move(known),
               {tolerance, most_steps, working_set, whole_up_to, widest}, listener);
  {
    nb::gil_scoped_release without_interpreter;
    runs.run(n_threads, in_step);
  }
  listener.rethrow_error();
  return runs.answers();
}

template <class T>
void bind_store(nb::module_& module, const char* name) {
  nb::class_<HeldStore<T>>(module, name)
      .def(nb::init<nb::object, Vector<int64_t>, int64_t>(), "source"_a, "boundaries"_a, "budget"_a);
  module.def("decompose", &decompose<T>, "store"_a, "programs"_a, "similarities"_a,
             "tolerance"_a, "most_steps"_a, "working_set"_a, "whole_up_to"_a, "widest"_a,
             "in_step"_a, "n_threads"_a, "seconds"_a, "watch"_a.none());
}

}  // namespace

void bind_engine(nb::module_& module) {
  nb::class_<Program>(module, "Program")
      .def("__init__", [](Program* self, Vector<int64_t> point, Vector<double> direction,
                          Vector<double> low, Vector<double> high, Vector<double> linear,
                          Vector<double> ridge, Vector<int64_t> group, Vector<double> value,
                          Matrix<double> shares) {
        new (self) Program(
            make_program(point, direction, low, high, linear, ridge, group, value, shares));
      }, "point"_a, "direction"_a, "low"_a, "high"_a, "linear"_a, "ridge"_a, "group"_a, "value"_a,
           "shares"_a);
  bind_store<float>(module, "Store32");
  bind_store<double>(module, "Store64");
}

}  // namespace maxmargin::bindings
