#include "sifting.h"

#include <algorithm>
#include <cmath>

#include "windows.h"

namespace maxmargin::linear {
namespace {

// Below so many points all are taken at once.
constexpr int64_t smallest = 8192;

// A sample has this share of the points, or so many points a weight, at most the second share.
constexpr double least_sample = 1.0 / 16, most_sample = 1.0 / 4;
constexpr double points_a_weight = 40;

// Samples are to lead to this gap.
constexpr double rough_gap = 1e-3;

// How far a sample's weights are taken to be off: the margins and the gap to begin with.
constexpr double first_movement = 0.05, first_goal = 2e-4;

// The share of the points that are guards.
constexpr double guarded_share = 1.0 / 16;

// The share of the points that is open at first, and at least; with more than the last share open
// the whole is solved at once.
constexpr double first_share = 1.0 / 8, least_share = 1.0 / 64, most_share = 1.0 / 3;

// Points stay open up to this many times the distance at which one was held on the wrong side.
constexpr double caution = 4;

// Small programs are solved to this share of the whole one's gap, or of the one asked for; to the
// latter at once where it is not much less.
constexpr double share_of_gap = 0.02, share_of_goal = 0.25, not_much = 1.0 / 16;

// A round that does not divide the gap by this keeps all open points open in the next.
constexpr double good_progress = 4;
constexpr int64_t most_rounds = 20;

uint64_t scrambled(uint64_t value) {  // splitmix64
  value += 0x9E3779B97F4A7C15ULL;
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9ULL;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBULL;
  return value ^ (value >> 31);
}

}  // namespace

template <class T>
Sifting<T>::Sifting(const Matrix<T>& data, const Program& program, const Limits& limits,
                    const Execution& execution, const Report& report)
    : data_(data),
      program_(program),
      limits_(limits),
      execution_(execution),
      report_(report),
      smallest_value_(program.smallest_value()),
      best_(program.size(), data.n_columns),
      tasks_(RowTasks::of(data.n_rows, data.n_entries(), 2 * (data.n_columns + 1))),
      size_(data.n_columns + 1) {}

template <class T>
double Sifting<T>::sampled_share() const {
  const double wanted = points_a_weight * static_cast<double>(size_);
  return std::max(least_sample, wanted / static_cast<double>(data_.n_rows));
}

template <class T>
bool Sifting<T>::pays() const {
  return !program_.is_squared() && data_.n_rows >= smallest;
}

// A sample of the points that are not open. Those that move far with the weights are likelier to be
// in it, for the other way round: where few points have a feature, these alone keep its weight in
// bounds.
template <class T>
void Sifting<T>::add_sample(double share) {
  double total = 0;
  for (const double reach : reach_) total += reach * reach;
  const double mean = total / static_cast<double>(data_.n_rows);
  chosen_ = open_;
  stands_for_.assign(open_.size(), 1.0);
  for (int64_t r = 0; r < data_.n_rows; ++r) {
    if (is_open_[r]) continue;
    const double chance = share * 0.5 * (1 + reach_[r] * reach_[r] / mean);
    const double drawn = static_cast<double>(scrambled(static_cast<uint64_t>(r)) >> 11) * 0x1p-53;
    if (drawn >= chance) continue;
    chosen_.push_back(r);
    stands_for_.push_back(std::max(1.0, 1 / chance));
  }
}

template <class T>
void Sifting<T>::solve_sample() {
  add_sample(sampled_share());
  rows_.assign(data_, chosen_);
  OwnProgram own = constraints_of(program_, chosen_);
  for (int64_t k = 0; k < own.size(); ++k) own.cost[k] *= stands_for_[k % chosen_.size()];
  const Program program = own.view();
  const Limits limits{rough_gap, limits_.most_iterations};
  InteriorPoint<T> solver(rows_.view(), program, limits, execution_, silent_);
  const Outcome outcome = solver.run();
  if (outcome.ending == Ending::interrupted) throw threads::Interrupted();
  iterations_ += outcome.progress.iterations;
  Machine machine = solver.take_machine();
  weights_ = std::move(machine.weights);
  weights_.push_back(machine.bias);
}

template <class T>
void Sifting<T>::offer(const Machine& machine, const Progress& progress) {
  const auto give_weights = [&](Machine& own) {
    own.weights = machine.weights;
    own.bias = machine.bias;
  };
  best_.offer(progress.primal, progress.dual, give_weights, [&] { return machine.multipliers; });
  progress_ = best_.progress(iterations_, smallest_value_);
}

// How far a change of the weights moves a point, from the size of its entries for their columns.
// Where few points have a feature, these points alone keep its weight in bounds.
template <class T>
void Sifting<T>::measure_reach() {
  struct Squares {
    std::vector<double> sums;
    Squares& operator+=(const Squares& other) { return add_to(sums, other.sums), *this; }
  };
  const auto each_row = [&](int64_t begin, int64_t end, threads::Worker& worker,
                            const auto& visit) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) visit(rows, r, r - first);
    });
  };
  Squares squares = sum_over_rows(
      tasks_, Squares{std::vector<double>(size_ - 1)}, execution_,
      [&](int64_t begin, int64_t end, Squares& own, threads::Worker& worker) {
        each_row(begin, end, worker, [&](const Matrix<T>& rows, int64_t, int64_t at) {
          rows.add_squares(at, own.sums.data());
        });
      });
  for (double& sum : squares.sums) sum = sum > 0 ? static_cast<double>(data_.n_rows) / sum : 0.0;
  sum_over_rows(tasks_, Squares{}, execution_,
                [&](int64_t begin, int64_t end, Squares&, threads::Worker& worker) {
                  each_row(begin, end, worker, [&](const Matrix<T>& rows, int64_t r, int64_t at) {
                    reach_[r] = std::sqrt(1 + rows.weighted_square(at, squares.sums.data()));
                  });
                });
}

// The primal value of the weights, and all margins; `dual` belongs to the multipliers.
template <class T>
void Sifting<T>::judge(double dual) {
  struct Seen {
    double penalty = 0, moved = 0, wrong = 0, depth = 0;
    Seen& operator+=(const Seen& other) {
      penalty += other.penalty;
      moved += other.moved;
      wrong += other.wrong;
      depth += other.depth;
      return *this;
    }
  };
  const auto visit = [&](int64_t begin, int64_t end, Seen& seen, threads::Worker& worker) {
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        const double score = rows.dot(r - first, weights_.data()) + weights_.back();
        distance_[r] = std::numeric_limits<double>::infinity();
        for (int32_t side = 0; side < program_.sides; ++side) {
          const int64_t i = side * program_.n_points + r;
          const double before = margin_[i];
          margin_[i] = program_.sign[i] * (score + program_.linear[i]);
          if (is_open_[r]) seen.moved += std::abs(margin_[i] - before);
          seen.penalty += program_.penalty(i, margin_[i]);
          distance_[r] = std::min(distance_[r], std::abs(margin_[i]) / reach_[r]);
          const bool is_held_wrongly = !is_open_[r] && (margin_[i] < 0) != (multiplier_[i] > 0);
          if (is_held_wrongly) {
            seen.depth += std::abs(margin_[i]) / reach_[r];
            seen.wrong += 1;
          }
        }
      }
    });
  };
  const Seen seen = sum_over_rows(tasks_, Seen{}, execution_, visit);
  depth_ = seen.depth / std::max(seen.wrong, 1.0);
  movement_ = seen.moved / static_cast<double>(std::max<size_t>(open_.size(), 1));
  double norm = 0;
  for (int64_t c = 0; c + 1 < size_; ++c) norm += weights_[c] * weights_[c];
  if (program_.has_bias()) norm += program_.bias_weight * weights_.back() * weights_.back();
  const auto give_weights = [&](Machine& machine) {
    machine.weights.assign(weights_.begin(), weights_.end() - 1);
    machine.bias = program_.has_bias() ? weights_.back() : 0.0;
  };
  best_.offer(0.5 * norm + seen.penalty, dual, give_weights, [&] { return multiplier_; });
  progress_ = best_.progress(iterations_, smallest_value_);
  report_(progress_);
}

template <class T>
double Sifting<T>::distance_of_share(double share) const {
  std::vector<double> distances = distance_;
  const auto rank = static_cast<std::ptrdiff_t>(share * static_cast<double>(distances.size()));
  std::nth_element(distances.begin(), distances.begin() + rank, distances.end());
  return distances[rank];
}

// Opens the points close to their margin and those held on the wrong side; returns their number.
template <class T>
int64_t Sifting<T>::open_points(double distance, bool keeps_open) {
  open_.clear();
  for (int64_t r = 0; r < data_.n_rows; ++r) {
    bool is_wrong = false;
    for (int32_t side = 0; side < program_.sides && !is_open_[r]; ++side) {
      const int64_t i = side * program_.n_points + r;
      is_wrong = is_wrong || (margin_[i] < 0) != (multiplier_[i] > 0);
    }
    is_open_[r] = distance_[r] <= distance || is_wrong || (keeps_open && is_open_[r]);
    if (is_open_[r]) open_.push_back(r);
  }
  return static_cast<int64_t>(open_.size());
}

// Holds the multipliers of all other points where their margins put them; returns their sums.
template <class T>
DualSums Sifting<T>::hold_others() {
  const auto visit = [&](int64_t begin, int64_t end, DualSums& sums, threads::Worker& worker) {
    double up[window_rows], down[window_rows];
    for_each_window(data_, begin, end, worker,
                    [&](const Matrix<T>& rows, int64_t first, int64_t last) {
      for (int64_t r = first; r < last; ++r) {
        up[r - first] = down[r - first] = 0;
        for (int32_t side = 0; side < program_.sides && !is_open_[r]; ++side) {
          const int64_t i = side * program_.n_points + r;
          multiplier_[i] = margin_[i] < 0 ? program_.cost[i] : 0.0;
          (program_.sign[i] > 0 ? up : down)[r - first] += multiplier_[i];
          sums.side(program_.sign[i]).linear += program_.linear[i] * multiplier_[i];
        }
        sums.up.combination.back() += up[r - first];
        sums.down.combination.back() += down[r - first];
      }
      rows.add_all(up, sums.up.combination.data());
      rows.add_all(down, sums.down.combination.data());
    });
  };
  return sum_over_rows(tasks_, DualSums::of(size_), execution_, visit);
}

// The open points' constraints, and those that keep guarded points where they are held: a guard
// stands for the many points like it, at their common cost.
template <class T>
OwnProgram Sifting<T>::small_program() {
  add_sample(guarded_share);
  OwnProgram program = constraints_of(program_, chosen_);
  for (int64_t k = 0; k < program.size(); ++k) {
    if (!is_guard(k)) continue;
    program.cost[k] *= stands_for_[k % chosen_.size()];
    if (multiplier_[variable(k)] > 0) program.sign[k] = -program.sign[k];
  }
  return program;
}

// Takes over the small program's multipliers; returns the dual value of them all.
template <class T>
double Sifting<T>::adopt(const std::vector<double>& multipliers, DualSums sums) {
  const Matrix<T>& rows = rows_.view();
  for (int64_t k = 0; k < static_cast<int64_t>(multipliers.size()); ++k) {
    const int64_t i = variable(k);
    const double before = is_guard(k) ? multiplier_[i] : 0.0, cost = program_.cost[i];
    const double way = before > 0 ? -1.0 : 1.0;
    multiplier_[i] = std::clamp(before + way * multipliers[k], 0.0, cost);
    const double change = multiplier_[i] - before;
    if (change == 0) continue;
    SideSum& own = sums.side(program_.sign[i]);
    rows.add(k % rows.n_rows, change, own.combination.data());
    own.combination.back() += change;
    own.linear += program_.linear[i] * change;
  }
  return sums.dual(program_);
}

// Solves the program of the open points from the present weights; returns the dual value.
template <class T>
double Sifting<T>::refine(double goal) {
  const DualSums held = hold_others();
  const OwnProgram own = small_program();
  const Program program = own.view();
  rows_.assign(data_, chosen_);
  const Limits limits{goal, limits_.most_iterations - iterations_};
  const Guess guess{weights_, movement_};
  InteriorPoint<T> solver(rows_.view(), program, limits, execution_, silent_, &held);
  const Outcome outcome = solver.run(&guess);
  if (outcome.ending == Ending::interrupted) throw threads::Interrupted();
  iterations_ += outcome.progress.iterations;
  const Machine machine = solver.take_machine();
  std::copy(machine.weights.begin(), machine.weights.end(), weights_.begin());
  weights_.back() = machine.bias;
  return adopt(machine.multipliers, held);
}

template <class T>
Outcome Sifting<T>::solve_whole() {
  InteriorPoint<T> solver(data_, program_, limits_, execution_, report_);
  const Outcome outcome = solver.run();
  iterations_ += outcome.progress.iterations;
  offer(solver.take_machine(), outcome.progress);
  return {outcome.ending, progress_};
}

// Zero weights need no look at the data: something to leave behind at an early end.
template <class T>
void Sifting<T>::offer_zero() {
  double penalty = 0;
  for (int64_t i = 0; i < program_.size(); ++i) {
    penalty += program_.penalty(i, program_.sign[i] * program_.linear[i]);
  }
  best_.offer(penalty, 0, [](Machine&) {}, [&] { return multiplier_; });
  progress_ = best_.progress(0, smallest_value_);
}

template <class T>
Outcome Sifting<T>::run(const std::vector<double>& weights, double bias) {
  const bool has_start = !weights.empty() || sampled_share() <= most_sample;
  if (!pays() || !has_start) return solve_whole();
  const int64_t n = data_.n_rows, m = program_.size();
  multiplier_.assign(m, 0.0);
  margin_.assign(m, 0.0);
  distance_.assign(n, 0.0);
  reach_.assign(n, 1.0);
  is_open_.assign(n, 0);
  offer_zero();
  try {
    weights_ = weights;
    weights_.push_back(bias);
    measure_reach();
    if (weights.empty()) solve_sample();
    is_open_.assign(n, 1);
    judge(0);
    double distance = distance_of_share(first_share), goal = first_goal;
    movement_ = first_movement;
    bool keeps_open = false;
    int64_t in_vain = 0;
    for (int64_t round = 0; round < most_rounds; ++round) {
      const double before = progress_.relative_gap();
      if (before <= limits_.gap) return {Ending::converged, progress_};
      if (iterations_ >= limits_.most_iterations) return {Ending::iterations, progress_};
      const int64_t n_open = open_points(distance, keeps_open);
      if (n_open == 0 || static_cast<double>(n_open) > most_share * static_cast<double>(n)) break;
      judge(refine(std::max(goal, share_of_goal * limits_.gap)));
      const double gap = progress_.relative_gap();
      goal = std::min(first_goal, share_of_gap * gap);
      if (share_of_goal * limits_.gap > not_much * goal) goal = 0;
      movement_ = std::max(movement_, gap);
      in_vain = gap > 0.9 * before ? in_vain + 1 : 0;
      if (in_vain > 2) break;
      keeps_open = gap * good_progress > before;
      distance = std::clamp(caution * depth_, distance_of_share(least_share),
                            distance_of_share(first_share));
    }
  } catch (const threads::Interrupted&) {
    return {Ending::interrupted, progress_};
  }
  return solve_whole();
}

template class Sifting<float>;
template class Sifting<double>;

}  // namespace maxmargin::linear
