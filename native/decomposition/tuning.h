// Sizes of working sets, and when to change between them. Measured on the problems of
// benchmarks/engine and benchmarks/search, two cores with AVX-512.
#pragma once

#include <cstdint>
#include <limits>

namespace maxmargin::decomposition {

struct Tuning {
  int64_t working_set = 3072;   // variables of the coarse level, at most
  int64_t whole_up_to = 4096;   // a QP of at most this many variables is worked on as a whole
  int64_t widest = 9216;        // variables that may still move, at most, to be worked on together
  int64_t soon_wide = 4096;     // the same in a run that is not long yet
  int64_t opening_rounds = 8;   // rounds on the coarse level before a wide one is tried
  int64_t long_rounds = 24;     // rounds that make a run long
  double wide_room = 0.125;     // what a wide level has room for beside its members, as a share
  double least_active = 0.8;    // a wide level with a smaller share of active members is made anew
  int64_t small_wide = 0;       // a wide level of at most this size is made in the opening too
  int64_t few_new_members = 0;  // so few new members may join a wide level in the opening
  double enough = 0.1;          // a working set is left when the violation has fallen to this share
  // The same for a run that goes on from another: fewer variables come and go near a solution.
  double enough_near = 0.03;
  // A whole QP is solved through nested tiles above this many tolerances.
  double nested_above = std::numeric_limits<double>::infinity();
  bool is_resident = false;  // whether rows lie in memory: starting afresh costs nothing then

  // The Gram matrix lies in memory: levels are only copied out of it.
  static Tuning resident() {
    Tuning tuning;
    tuning.working_set = 1024;
    tuning.whole_up_to = 2048;
    tuning.soon_wide = 5120;
    tuning.opening_rounds = 2;
    tuning.wide_room = 0.25;
    tuning.least_active = 0.4;
    tuning.small_wide = 1536;
    tuning.few_new_members = 512;
    tuning.enough_near = 0.1;
    tuning.nested_above = 300;
    tuning.is_resident = true;
    return tuning;
  }
};

}  // namespace maxmargin::decomposition
