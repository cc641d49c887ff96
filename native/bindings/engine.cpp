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

template <class T>
nb::list decompose(HeldStore<T>& held, std::vector<Program*> programs, std::vector<nb::object> similarities,
                   double tolerance, int64_t most_steps, int64_t working_set, int64_t whole_up_to, int64_t widest,
                   int64_t in_step, int n_threads, double seconds, nb::object watch) {
  rows::RowStore<T>& store = held.store;
  const int64_t n_points = store.source().n_points();
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
  const decomposition::Limits limits{tolerance, most_steps, working_set, whole_up_to, widest};
  const auto n_programs = static_cast<int64_t>(programs.size());
  std::vector<std::vector<double>> known(programs.size());
  for (size_t k = 0; k < similarities.size(); ++k) {
    if (!similarities[k].is_none()) known[k] = copied(nb::cast<Vector<double>>(similarities[k]));
  }
  std::vector<Result> results(programs.size());
  Listener listener(watch, seconds);
  const threads::ShouldStop should_stop = [&] { return listener.should_stop(); };
  {
    nb::gil_scoped_release without_interpreter;
    using Solver = decomposition::Decomposition<T>;
    // Programs that have used their share of the time leave the rest to the others.
    const auto solve = [&](std::span<const int64_t> which, int threads, double share) {
      if (listener.has_stopped()) return;
      const auto began = Listener::Clock::now();
      const threads::ShouldStop ends = [&] {
        const bool is_late = share >= 0 && Listener::since(began) >= share;
        for (const int64_t k : which) results[k].is_late = results[k].is_late || is_late;
        return is_late || listener.should_stop();
      };
      const Execution execution{threads, ends};
      std::vector<decomposition::Report> reports;
      for (const int64_t index : which) {
        reports.push_back([&listener, index](const decomposition::Progress& now) {
          listener.report(index, {now.steps, now.violation, now.primal, now.dual});
        });
      }
      std::vector<std::unique_ptr<Solver>> held;
      std::vector<Solver*> solvers;
      std::vector<std::vector<double>> starts;
      for (size_t k = 0; k < which.size(); ++k) {
        Program& program = *programs[which[k]];
        held.push_back(std::make_unique<Solver>(program, store, limits, execution, reports[k]));
        solvers.push_back(held.back().get());
        starts.push_back(std::move(known[which[k]]));
      }
      std::vector<decomposition::Outcome> outcomes;
      if (which.size() == 1) {
        outcomes.push_back(solvers[0]->run(std::move(starts[0])));
      } else {
        outcomes = decomposition::run_in_step<T>(solvers, std::move(starts), execution);
      }
      for (size_t k = 0; k < which.size(); ++k) {
        Result& result = results[which[k]];
        result.outcome = outcomes[k];
        result.gradient = solvers[k]->gradient();
        if (!solvers[k]->takes_all()) {
          result.similarities = solvers[k]->similarities();
          result.parts = solvers[k]->parts();
        }
        listener.program_done();
      }
    };
    // Small programs run side by side and leave the store alone; large ones share it in turn, or in
    // step where they start from known sums over the same points.
    std::vector<int64_t> small;
    std::vector<std::vector<int64_t>> large;
    const auto goes_in_step = [&](int64_t k) {
      return !known[k].empty() && programs[k]->n_parts == 0;
    };
    for (int64_t k = 0; k < n_programs; ++k) {
      if (n_programs > 1 && programs[k]->size() <= whole_up_to) {
        small.push_back(k);
        continue;
      }
      const bool joins = !large.empty() && static_cast<int64_t>(large.back().size()) < in_step &&
                         goes_in_step(k) && goes_in_step(large.back()[0]) &&
                         programs[k]->point == programs[large.back()[0]]->point;
      if (!joins) large.emplace_back();
      large.back().push_back(k);
    }
    std::atomic<int64_t> n_left = n_programs;
    try {
      const auto solve_small = [&](int64_t task, threads::Worker&) {
        // Programs that run at the same time need not share it.
        const int64_t in_turn = (n_left-- + n_threads - 1) / std::max(n_threads, 1);
        solve({&small[task], 1}, 1, listener.share(in_turn));
      };
      threads::parallel_for(static_cast<int64_t>(small.size()), n_threads, solve_small, should_stop);
      for (const std::vector<int64_t>& group : large) {
        const auto count = static_cast<int64_t>(group.size());
        solve(group, n_threads, static_cast<double>(count) * listener.share(n_left));
        n_left -= count;
      }
    } catch (const threads::Interrupted&) {
    }
  }
  listener.rethrow_error();
  nb::list answers;
  for (size_t k = 0; k < programs.size(); ++k) {
    const auto& [outcome, is_late, gradient, similarities_at_end, parts] = results[k];
    answers.append(nb::make_tuple(as_array(programs[k]->value, programs[k]->size()),
                                  as_array(gradient, gradient.size()), outcome.progress.violation,
                                  outcome.progress.steps,
                                  name_of(outcome.ending, is_late ? out_of_time : listener.reason()),
                                  as_array(similarities_at_end, similarities_at_end.size()),
                                  as_array(parts, parts.size())));
  }
  return answers;
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
