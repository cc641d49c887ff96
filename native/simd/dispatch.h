// Which instruction set the loops run with: the best one this processor has, unless told otherwise.
#pragma once

#include <string>
#include <vector>

#include "loops.h"

namespace maxmargin::simd {

// The levels this processor can run, the best last.
std::vector<std::string> available_levels();

std::string active_level();

// Throws std::invalid_argument when this processor or this build lacks the level.
void use_level(const std::string& name);

template <class T>
const Loops<T>& active_loops();

template <class T, class U>
const StepLoops<T, U>& active_steps();

template <class T>
const SequenceLoops<T>& active_sequence_loops();

const WeightedSequenceLoops& active_weighted_sequence_loops();

}  // namespace maxmargin::simd
