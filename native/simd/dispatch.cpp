// Chooses the table of loops once, by what the processor reports.
#include "dispatch.h"

#include <atomic>
#include <stdexcept>

#ifdef MAXMARGIN_X86_LEVELS
#include <cpuid.h>
#endif

namespace maxmargin::simd {
namespace {

struct Level {
  const char* name;
  const Table* table;
};

#ifdef MAXMARGIN_X86_LEVELS

// Whether the register ECX of a CPUID leaf has all of these bits.
bool has_bits(unsigned leaf, unsigned bits) {
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) && (ecx & bits) == bits;
}

// Asked of the processor itself: clangs before 2024 refuse these names in __builtin_cpu_supports.
bool has_movbe_f16c_lzcnt() {
  constexpr unsigned movbe = 1u << 22, f16c = 1u << 29, lzcnt = 1u << 5;
  return has_bits(1, movbe | f16c) && has_bits(0x80000001, lzcnt);
}

bool has_v2() {
  return __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("sse3") &&
         __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
         __builtin_cpu_supports("sse4.2");
}

bool has_v3() {
  return has_v2() && __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2") && has_movbe_f16c_lzcnt();
}

bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}

#endif

std::vector<Level> find_levels() {
  std::vector<Level> levels{{"baseline", &baseline::table}};
#ifdef MAXMARGIN_X86_LEVELS
  __builtin_cpu_init();
  if (has_v3()) levels.push_back({"v3", &v3::table});
  if (has_v4()) levels.push_back({"v4", &v4::table});
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

template <>
const StepLoops<float, float>& active_steps<float, float>() {
  return active().load()->table->steps32;
}

template <>
const StepLoops<float, double>& active_steps<float, double>() {
  return active().load()->table->steps_mixed;
}

template <>
const StepLoops<double, double>& active_steps<double, double>() {
  return active().load()->table->steps64;
}

template <>
const SequenceLoops<uint8_t>& active_sequence_loops<uint8_t>() {
  return active().load()->table->sequences8;
}

template <>
const SequenceLoops<uint16_t>& active_sequence_loops<uint16_t>() {
  return active().load()->table->sequences16;
}

template <>
const SequenceLoops<uint32_t>& active_sequence_loops<uint32_t>() {
  return active().load()->table->sequences32;
}

const WeightedSequenceLoops& active_weighted_sequence_loops() {
  return active().load()->table->weighted_sequences;
}

}  // namespace maxmargin::simd
