#include "l1.h"

#include <algorithm>
#include <cmath>

namespace maxmargin::linear {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// A visit ends when the derivative has fallen to this share, or after so many Newton steps.
constexpr double good_enough = 0.1;
constexpr int most_steps = 6;

// The bias of least loss, which balances the multipliers but for rounding.
constexpr double settled = 1e-14;
constexpr int most_bias_steps = 60;

// Work on a set ends when its gap seems to be this share of the whole one, or of the one asked for.
constexpr double whole_share = 0.1;
constexpr double sure_enough = 0.5;
constexpr int64_t rarely = 50;  // sweeps without a measurement at most

// Features this close to their bound may join the set; it grows by its own size or by this many.
constexpr double near = 0.95;
constexpr size_t least_growth = 64;

// A feature at zero is left out when it is within its bound by this share of the largest excess.
constexpr double shrink_share = 0.5;

// Measurements in a row that gain less than this share of the gap, which mean rounding.
constexpr int64_t patience = 10;
constexpr double notable = 1e-6;

// A model whose step is cut to less than this has to wait longer for its next turn.
constexpr double useful_length = 1e-10;
constexpr int most_turns = 5;  // in a row, while steps are cut
constexpr int most_halvings = 50;
constexpr double flat_enough = 0.1;

}  // namespace

template <class T>
L1Descent<T>::L1Descent(const Matrix<T>& columns, const L1Program& program, const Limits& limits,
                        uint64_t seed, const threads::ShouldStop& should_stop,
                        const Report& report)
    : columns_(columns),
      program_(program),
      limits_(limits),
      report_(report),
      pacer_(should_stop),
      order_(seed),
      n_(program.n_points()),
      bias_(columns.n_rows),
      least_primal_(infinity) {}

template <class T>
int64_t L1Descent<T>::n_entries(int64_t j) const {
  if (j == bias_ || !columns_.is_sparse()) return n_;
  return columns_.starts[j + 1] - columns_.starts[j];
}

template <class T>
void L1Descent<T>::checkpoint_after(int64_t n_entries) {
  constexpr double often = 1 << 15;
  work_ += static_cast<double>(n_entries) + 4;
  if (work_ - checked_at_ < often) return;
  checked_at_ = work_;
  pacer_.checkpoint();
}

// Moves the residuals as a change of the weight asks for; returns the slope thereafter.
template <class T>
template <bool is_moving>
Slope L1Descent<T>::pass(int64_t j, double change) {
  Slope even, odd;
  const auto meet = [&](int64_t i, double x, Slope& sum) {
    L1Point& point = points_[i];
    if constexpr (is_moving) point.residual -= change * x;
    const double scaled = point.active_cost() * x;
    sum.first -= scaled * point.residual;
    sum.second += scaled * x;
  };
  if (j == bias_) {
    int64_t i = 0;
    for (; i + 2 <= n_; i += 2) {
      meet(i, 1.0, even);
      meet(i + 1, 1.0, odd);
    }
    if (i < n_) meet(i, 1.0, even);
  } else if (columns_.is_sparse()) {
    const int32_t* rows = columns_.columns;
    int64_t e = columns_.starts[j];
    const int64_t end = columns_.starts[j + 1];
    for (; e + 2 <= end; e += 2) {
      meet(rows[e], static_cast<double>(columns_.values[e]), even);
      meet(rows[e + 1], static_cast<double>(columns_.values[e + 1]), odd);
    }
    if (e < end) meet(rows[e], static_cast<double>(columns_.values[e]), even);
  } else {
    const T* column = columns_.values + j * columns_.row_stride;
    int64_t i = 0;
    for (; i + 2 <= n_; i += 2) {
      meet(i, static_cast<double>(column[i]), even);
      meet(i + 1, static_cast<double>(column[i + 1]), odd);
    }
    if (i < n_) meet(i, static_cast<double>(column[i]), even);
  }
  checkpoint_after(n_entries(j));
  return {2 * (even.first + odd.first), 2 * (even.second + odd.second)};
}

// Newton's method in a bracket, until the derivative has fallen to the given share.
template <class T>
void L1Descent<T>::descend(int64_t j, Slope slope, double share, int n_steps) {
  const double price = this->price(j);
  double steep = steepness(weights_[j], slope.first, price);
  const double enough = share * std::abs(steep);
  // No weight of a machine better than the best so far lies farther out.
  const double reach = price > 0 ? least_primal_ / price : infinity;
  double low = std::min(-reach, weights_[j]), high = std::max(reach, weights_[j]);
  for (int k = 0; k < n_steps && steep != 0 && std::abs(steep) >= enough; ++k) {
    const double w = weights_[j];
    (steep > 0 ? high : low) = w;
    double next = newton_point(w, slope, price);
    const bool is_downhill = steep > 0 ? next < w : next > w;
    if (!is_downhill) return;  // too small a step to be one
    if (next <= low || next >= high) next = 0.5 * (low + high);
    if (next == w || !std::isfinite(next)) return;
    weights_[j] = next;
    slope = pass<true>(j, next - w);
    steep = steepness(next, slope.first, price);
  }
}

// Returns whether the feature is to be left out from now on.
template <class T>
bool L1Descent<T>::visit(int64_t j, GapEstimate& seen) {
  const Slope slope = pass<false>(j, 0);
  const double w = weights_[j], price = this->price(j);
  seen.see(w, slope.first, price);
  if (w == 0 && std::abs(slope.first) < price - shrink_) return j != bias_;
  descend(j, slope, good_enough, most_steps);
  return false;
}

template <class T>
GapEstimate L1Descent<T>::sweep() {
  GapEstimate seen;
  order_.shuffle(active_.data(), n_active_);
  for (size_t k = 0; k < n_active_;) {
    if (k + 1 < n_active_ && active_[k + 1] != bias_) columns_.prefetch(active_[k + 1]);
    if (visit(active_[k], seen)) {
      std::swap(active_[k], active_[--n_active_]);
    } else {
      ++k;
    }
  }
  ++sweeps_;
  return seen;
}

template <class T>
bool L1Descent<T>::model_pays() {
  const auto n_features = static_cast<int64_t>(n_active_);
  if (n_features > L1Model<T>::most_features) return false;
  double entries = 0;
  for (size_t k = 0; k < n_active_; ++k) entries += static_cast<double>(n_entries(active_[k]));
  const double cost = L1Model<T>::cost(columns_.is_sparse(), entries, n_features, n_);
  return work_ - modelled_at_ >= reluctance_ * cost;
}

// The best length up to one, by halving: the derivative along the step is increasing.
template <class T>
double L1Descent<T>::best_length(const std::vector<int64_t>& features,
                                 const std::vector<double>& step,
                                 const std::vector<double>& change) const {
  const auto derivative = [&](double length) {
    double sum = 0;
    for (int64_t i = 0; i < n_; ++i) {
      const L1Point moved{points_[i].residual - length * change[i], points_[i].price};
      sum -= 2 * moved.active_cost() * moved.residual * change[i];
    }
    for (size_t k = 0; k < features.size(); ++k) {
      if (step[k] == 0) continue;
      const double moved = weights_[features[k]] + length * step[k];
      const double before = moved != 0 ? moved : -step[k];
      sum += price(features[k]) * std::copysign(step[k], step[k] * before);
    }
    return sum;
  };
  if (derivative(1) <= 0) return 1;
  const double enough = -flat_enough * std::abs(derivative(0));
  double low = 0, high = 1;
  for (int k = 0; k < most_halvings; ++k) {
    const double middle = 0.5 * (low + high), steep = derivative(middle);
    (steep > 0 ? high : low) = middle;
    if (steep <= 0 && steep >= enough) break;
  }
  return low;
}

template <class T>
double L1Descent<T>::follow_model() {
  std::vector<int64_t> features(active_.begin(), active_.begin() + static_cast<int64_t>(n_active_));
  std::erase(features, bias_);
  std::sort(features.begin(), features.end());
  model_.build(columns_, features, points_, pacer_);
  features.push_back(bias_);
  std::vector<double> weights, prices;
  for (const int64_t j : features) {
    weights.push_back(weights_[j]);
    prices.push_back(price(j));
  }
  const std::vector<double> step = model_.minimise(weights, prices, pacer_);
  std::vector<double> change(n_, step.back());
  for (size_t k = 0; k + 1 < features.size(); ++k) {
    if (step[k] != 0) columns_.add(features[k], step[k], change.data());
  }
  const double length = best_length(features, step, change);
  for (size_t k = 0; k < features.size(); ++k) {
    // A whole step to zero must end there.
    const double next = weights_[features[k]] + length * step[k];
    weights_[features[k]] = length == 1 && weights[k] == -step[k] ? 0.0 : next;
  }
  for (int64_t i = 0; i < n_; ++i) points_[i].residual -= length * change[i];
  reluctance_ = length < useful_length ? 4 * reluctance_ : std::max(1.0, 0.5 * reluctance_);
  modelled_at_ = work_;
  ++sweeps_;
  return length;
}

// Works on the active set until its gap seems small enough.
template <class T>
void L1Descent<T>::improve(double wanted) {
  for (int64_t k = 0; k < rarely && sweeps_ < limits_.most_iterations; ++k) {
    const GapEstimate seen = sweep();
    if (seen.gap(gain_, loss_) <= wanted) return;
    shrink_ = shrink_share * std::min(1.0, seen.excess);
    if (!model_pays()) continue;
    for (int turns = 0; turns < most_turns && sweeps_ < limits_.most_iterations; ++turns) {
      if (follow_model() == 1) break;
    }
  }
}

template <class T>
void L1Descent<T>::rebuild_residuals() {
  std::vector<double> scores(n_, weights_[bias_]);
  for (int64_t j = 0; j < bias_; ++j) {
    if (weights_[j] == 0) continue;
    columns_.add(j, weights_[j], scores.data());
    checkpoint_after(n_entries(j));
  }
  for (int64_t i = 0; i < n_; ++i) {
    points_[i] = {program_.sign[i] - scores[i], program_.sign[i] * program_.cost[i]};
  }
}

template <class T>
double L1Descent<T>::primal_value() const {
  double value = program_.has_bias() ? program_.bias_price * std::abs(weights_[bias_]) : 0.0;
  for (int64_t j = 0; j < bias_; ++j) value += std::abs(weights_[j]);
  for (const L1Point& point : points_) {
    value += point.active_cost() * point.residual * point.residual;
  }
  return value;
}

template <class T>
std::vector<double> L1Descent<T>::multipliers() const {
  std::vector<double> multipliers(n_);
  for (int64_t i = 0; i < n_; ++i) {
    multipliers[i] = 2 * points_[i].active_cost() * std::abs(points_[i].residual);
  }
  return multipliers;
}

// Reduces the multipliers of one class until both sums are the same.
template <class T>
void L1Descent<T>::balance(std::vector<double>& multipliers) const {
  double up = 0, down = 0;
  for (int64_t i = 0; i < n_; ++i) (program_.sign[i] > 0 ? up : down) += multipliers[i];
  if (up == down) return;
  const double share = std::min(up, down) / std::max(up, down);
  for (int64_t i = 0; i < n_; ++i) {
    if ((program_.sign[i] > 0) == (up > down)) multipliers[i] *= share;
  }
}

template <class T>
void L1Descent<T>::keep_weights() {
  best_.weights.assign(weights_.begin(), weights_.end() - 1);
  best_.bias = weights_[bias_];
}

// Both objective values and the slopes of all features, at the cost of a pass over the data.
template <class T>
void L1Descent<T>::measure() {
  rebuild_residuals();
  if (program_.has_free_bias()) {
    descend(bias_, pass<false>(bias_, 0), settled, most_bias_steps);
  }
  const double primal = primal_value();
  least_primal_ = std::min(least_primal_, primal);

  std::vector<double> feasible = multipliers();
  if (program_.has_free_bias()) balance(feasible);
  std::vector<double> combination(n_);
  double total = 0, gain = 0, loss = 0;  // the dual at t times the multipliers: t gain - t^2 loss
  for (int64_t i = 0; i < n_; ++i) {
    if (feasible[i] == 0) continue;
    combination[i] = program_.sign[i] * feasible[i];
    total += combination[i];
    gain += feasible[i];
    loss += feasible[i] * feasible[i] / (4 * program_.cost[i]);
  }
  double largest = 0;
  if (program_.has_bias() && !program_.has_free_bias()) {
    largest = std::abs(total) / program_.bias_price;
  }
  for (int64_t j = 0; j < bias_; ++j) {
    slope_[j] = -columns_.dot(j, combination.data());
    largest = std::max(largest, std::abs(slope_[j]));
    checkpoint_after(n_entries(j));
  }
  gain_ = gain;
  loss_ = loss;
  double scale = loss > 0 ? gain / (2 * loss) : 0.0;
  if (scale * largest > 1) scale = 1 / largest;
  const double dual = scale * (gain - scale * loss);
  if (primal - dual < progress_.primal - progress_.dual) {
    progress_.primal = primal;
    progress_.dual = dual;
    keep_weights();
    for (double& a : feasible) a *= scale;
    best_.multipliers = std::move(feasible);
  }
  progress_.iterations = sweeps_;
  report_(progress_);
}

// The weights that are not zero, and those of the others whose constraints are violated most.
template <class T>
void L1Descent<T>::select() {
  active_.clear();
  candidates_.clear();
  for (int64_t j = 0; j < bias_; ++j) {
    if (weights_[j] != 0) {
      active_.push_back(j);
    } else if (std::abs(slope_[j]) > near) {
      candidates_.push_back(j);
    }
  }
  const size_t growth = std::max(least_growth, active_.size());
  if (candidates_.size() > growth) {
    const auto is_steeper = [this](int64_t a, int64_t b) {
      const double steep_a = std::abs(slope_[a]), steep_b = std::abs(slope_[b]);
      return steep_a != steep_b ? steep_a > steep_b : a < b;
    };
    std::nth_element(candidates_.begin(), candidates_.begin() + static_cast<int64_t>(growth),
                     candidates_.end(), is_steeper);
    candidates_.resize(growth);
  }
  active_.insert(active_.end(), candidates_.begin(), candidates_.end());
  if (program_.has_bias()) active_.push_back(bias_);
  n_active_ = active_.size();
  shrink_ = infinity;
}

template <class T>
void L1Descent<T>::start(const std::vector<double>& weights, double bias) {
  weights_ = weights.empty() ? std::vector<double>(bias_) : weights;
  weights_.push_back(program_.has_bias() ? bias : 0.0);
  slope_.assign(bias_, 0.0);
  points_.resize(n_);
}

template <class T>
Outcome L1Descent<T>::run(const std::vector<double>& weights, double bias) {
  try {
    start(weights, bias);
    measure();
    for (int64_t in_vain = 0;;) {
      const double gap = progress_.primal - progress_.dual, primal = least_primal_;
      if (progress_.relative_gap() <= limits_.gap) return {Ending::converged, progress_};
      if (sweeps_ >= limits_.most_iterations) return {Ending::iterations, progress_};
      if (in_vain >= patience) return {Ending::stalled, progress_};
      select();
      const double asked = limits_.gap * std::max(progress_.primal, progress_.dual);
      improve(std::max(sure_enough * asked, whole_share * gap));
      measure();
      const double gained = gap - (progress_.primal - progress_.dual) + primal - least_primal_;
      in_vain = gained > notable * gap ? 0 : in_vain + 1;
    }
  } catch (const threads::Interrupted&) {
    // Descent goes on between measurements.
    const double primal = best_.weights.empty() ? infinity : primal_value();
    if (primal < progress_.primal) {
      progress_.primal = primal;
      keep_weights();
    }
    return {Ending::interrupted, progress_};
  }
}

template class L1Descent<float>;
template class L1Descent<double>;

}  // namespace maxmargin::linear
