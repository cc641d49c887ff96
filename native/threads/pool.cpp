#include "pool.h"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <list>
#include <mutex>
#include <system_error>
#include <thread>

#ifndef _WIN32
#include <pthread.h>
#endif

namespace maxmargin::threads {

namespace {

constexpr auto asking_interval = std::chrono::milliseconds(20);

// Loops follow each other closely, and to sleep and be woken takes longer than this.
constexpr auto watching_time = std::chrono::microseconds(40);

void relax() {
#if defined(__x86_64__) || defined(_M_X64)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Waits for a short while; returns whether the condition came true.
template <class Condition>
bool watch_for(const Condition& condition) {
  const auto end = std::chrono::steady_clock::now() + watching_time;
  do {
    for (int k = 0; k < 32; ++k) {
      if (condition()) return true;
      relax();
    }
  } while (std::chrono::steady_clock::now() < end);
  return false;
}

}  // namespace

struct Job {
  const Task& task;
  const ShouldStop& should_stop;
  const int64_t n_tasks;
  std::atomic<int64_t> next{0};
  std::atomic<bool> ending{false};

  // Guarded by the pool's mutex.
  int seats;        // helpers that may still join
  int joined = 0;   // helpers that have ever joined
  std::atomic<int> working{0};  // helpers at work now
  std::exception_ptr error{};
  std::condition_variable all_left{};

  void work(Worker& worker, std::mutex& mutex) noexcept {
    try {
      for (;;) {
        const int64_t index = next.fetch_add(1);
        if (index >= n_tasks) return;
        worker.checkpoint();
        task(index, worker);
      }
    } catch (...) {
      fail(std::current_exception(), mutex);
    }
  }

  void fail(std::exception_ptr thrown, std::mutex& mutex) noexcept {
    std::lock_guard lock(mutex);
    if (!error) error = std::move(thrown);
    ending = true;
  }

  bool asked_to_stop() const { return should_stop && should_stop(); }

  // Asks on behalf of helpers that are still at work; nothing may be thrown past them.
  void listen(std::mutex& mutex) noexcept {
    try {
      if (!ending && asked_to_stop()) throw Interrupted();
    } catch (...) {
      fail(std::current_exception(), mutex);
    }
  }
};

void Worker::checkpoint() {
  if (job_.ending) throw Interrupted();
  if (index_ != 0) return;
  const auto now = std::chrono::steady_clock::now();
  if (now - last_asked_ < asking_interval) return;
  last_asked_ = now;
  if (job_.asked_to_stop()) throw Interrupted();
}

namespace {

class Pool {
 public:
  static Pool& instance();

  void run(Job& job) {
    Worker caller(job, 0);
    if (job.seats == 0) {
      job.work(caller, mutex_);
    } else {
      const auto place = publish(job);
      job.work(caller, mutex_);
      retire(job, place);
    }
    if (job.error) std::rethrow_exception(job.error);
  }

 private:
  std::list<Job*>::iterator publish(Job& job) {
    std::lock_guard lock(mutex_);
    start_helpers(job.seats);
    ++n_published_;
    const auto place = jobs_.insert(jobs_.end(), &job);
    if (job.seats == 1) {
      work_waits_.notify_one();
    } else {
      work_waits_.notify_all();
    }
    return place;
  }

  void retire(Job& job, std::list<Job*>::iterator place) {
    const auto gone = [&job] { return job.working == 0; };
    std::unique_lock lock(mutex_);
    jobs_.erase(place);
    if (!gone()) {
      lock.unlock();
      watch_for(gone);
      lock.lock();
    }
    while (!gone()) {
      if (job.all_left.wait_for(lock, asking_interval, gone)) break;
      lock.unlock();
      job.listen(mutex_);
      lock.lock();
    }
  }

  // A machine that refuses another thread makes the loop slower, not wrong.
  void start_helpers(int wanted) {
    try {
      for (; n_helpers_ < wanted; ++n_helpers_) std::thread([this] { help(); }).detach();
    } catch (const std::system_error&) {
    }
  }

  void help() {
    std::unique_lock lock(mutex_);
    for (;;) {
      Job* job = find_open_job();
      if (job == nullptr) {
        const auto another = [this, seen = n_published_.load()] { return n_published_ != seen; };
        lock.unlock();
        watch_for(another);
        lock.lock();
        work_waits_.wait(lock, another);
        continue;
      }
      --job->seats;
      ++job->working;
      Worker helper(*job, ++job->joined);
      lock.unlock();
      job->work(helper, mutex_);
      lock.lock();
      if (--job->working == 0) job->all_left.notify_one();
    }
  }

  Job* find_open_job() {
    for (Job* job : jobs_) {
      if (job->seats > 0 && !job->ending && job->next < job->n_tasks) return job;
    }
    return nullptr;
  }

  std::mutex mutex_;
  std::condition_variable work_waits_;
  std::list<Job*> jobs_;
  std::atomic<uint64_t> n_published_{0};
  int n_helpers_ = 0;
};

std::atomic<Pool*> the_pool{nullptr};

// No lock guards the pointer, so a fork cannot leave one held. The pool is never destroyed: its
// helpers may be asleep inside it when the process ends, and a child cannot join its parent's.
Pool& Pool::instance() {
  Pool* pool = the_pool.load();
  if (pool != nullptr) return *pool;
  Pool* fresh = new Pool;
  if (the_pool.compare_exchange_strong(pool, fresh)) return *fresh;
  delete fresh;
  return *pool;
}

#ifndef _WIN32
[[maybe_unused]] const int fork_handler =
    pthread_atfork(nullptr, nullptr, [] { the_pool.store(nullptr); });
#endif

}  // namespace

void parallel_for(int64_t n_tasks, int n_threads, const Task& task, const ShouldStop& should_stop) {
  if (n_tasks <= 0) return;
  const auto n_workers = std::min<int64_t>(n_tasks, std::max(n_threads, 1));
  Job job{.task = task,
          .should_stop = should_stop,
          .n_tasks = n_tasks,
          .seats = static_cast<int>(n_workers) - 1};
  Pool::instance().run(job);
}

}  // namespace maxmargin::threads
