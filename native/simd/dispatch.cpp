// Chooses the table of loops once, by what the processor reports.
#include "dispatch.h"

#include <atomic>
#include <stdexcept>

namespace maxmargin::simd {
namespace {

struct Level {
  const char* name;
  const Table* table;
};

std::vector<Level> find_levels() {
  std::vector<Level> levels{{"baseline", &baseline::table}};
#ifdef MAXMARGIN_X86_LEVELS
  __builtin_cpu_init();
  const bool has_v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  const bool has_v4 = has_v3 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  if (has_v3) levels.push_back({"v3", &v3::table});
  if (has_v4) levels.push_back({"v4", &v4::table});
#endif
  return levels;
}

const std::vector<Level>& levels() {
  static const std::vector<Level> found = find_levels();
  return found;
}

std::atomic<const Level*>& active() {
  static std::atomic<const Level*> level{&levels().back()};
  return level;
}

}  // namespace

std::vector<std::string> available_levels() {
  std::vector<std::string> names;
  for (const Level& level : levels()) names.emplace_back(level.name);
  return names;
}

std::string active_level() { return active().load()->name; }

void use_level(const std::string& name) {
  for (const Level& level : levels()) {
    if (name == level.name) {
      active().store(&level);
      return;
    }
  }
  throw std::invalid_argument("the SIMD level '" + name + "' is not available on this processor");
}

template <>
const Loops<float>& active_loops<float>() {
  return active().load()->table->float32;
}

template <>
const Loops<double>& active_loops<double>() {
  return active().load()->table->float64;
}

}  // namespace maxmargin::simd
