// What the linear solvers tell Python: progress while they run, a tuple for each program at the end.
#pragma once

#include <string>
#include <vector>

#include "../linear/program.h"
#include "arrays.h"
#include "listener.h"

namespace maxmargin::bindings {

struct LinearResult {
  linear::Outcome outcome{linear::Ending::interrupted, {}};
  linear::Machine machine;
};

inline const char* name_of(linear::Ending ending, const std::string& reason) {
  switch (ending) {
    case linear::Ending::converged: return "converged";
    case linear::Ending::iterations: return "steps";
    case linear::Ending::stalled: return "stalled";
    default: return reason.c_str();
  }
}

inline Seen seen_of(const linear::Progress& now) {
  return {now.iterations, now.relative_gap(), now.primal, now.dual};
}

// Weights, bias, multipliers, iterations, both values and what ended the run.
inline nb::tuple as_answer(const linear::Outcome& outcome, std::vector<double> weights,
                           nb::object bias, std::vector<double> multipliers,
                           const Listener& listener) {
  const linear::Progress& last = outcome.progress;
  return nb::make_tuple(owned(std::move(weights)), bias, owned(std::move(multipliers)),
                        last.iterations, last.primal, last.dual,
                        name_of(outcome.ending, listener.reason()));
}

inline nb::list as_answers(std::vector<LinearResult> results, const Listener& listener) {
  nb::list answers;
  for (auto& [outcome, machine] : results) {
    answers.append(as_answer(outcome, std::move(machine.weights), nb::float_(machine.bias),
                             std::move(machine.multipliers), listener));
  }
  return answers;
}

}  // namespace maxmargin::bindings
