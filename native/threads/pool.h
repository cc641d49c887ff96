// A small thread pool: a loop of independent tasks shared between the caller and idle helpers.
//
// The caller always works on its own loop and so never waits for a helper to become free; loops
// may be started from several threads at once, and inside a task. After a fork the child starts a
// pool of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>

namespace maxmargin::threads {

// Asked every 20 ms or so, on the calling thread only; true ends the loop with Interrupted.
using ShouldStop = std::function<bool()>;

struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("the computation was interrupted") {}
};

struct Job;

// One thread's part in one loop.
class Worker {
 public:
  Worker(Job& job, int index) : job_(job), index_(index) {}

  // Distinct for the threads in one loop, from 0 (the caller) to n_threads - 1.
  int index() const { return index_; }

  // Long tasks call this every few milliseconds of work; it throws when the loop is to end.
  void checkpoint();

 private:
  Job& job_;
  int index_;
  std::chrono::steady_clock::time_point last_asked_ = std::chrono::steady_clock::now();
};

using Task = std::function<void(int64_t index, Worker& worker)>;

// Runs task(0) ... task(n_tasks - 1) on at most n_threads threads. The first exception thrown by
// a task ends the loop and is thrown again here, once no thread works on the loop any more.
void parallel_for(int64_t n_tasks, int n_threads, const Task& task, const ShouldStop& should_stop);

}  // namespace maxmargin::threads
