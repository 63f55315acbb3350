// SPDX-License-Identifier: Apache-2.0
// Workers that die, hang or exceed a limit: the errors that the consumer gets, and cleanup.
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <string>
#include <thread>

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "loaders/worker_pool.h"
#include "tests/support/forked_test.h"
#include "tests/support/matchers.h"
#include "tests/support/process_facts.h"
#include "tests/support/scripted_dataset.h"
#include "tests/support/shared_gate.h"

namespace feedrate::testing {
namespace {

constexpr std::uint64_t kFatal = 1;  // The task that runs end_.
constexpr Nanos kForEver{0};

ResolvedLoaderOptions options_of(std::size_t workers, Transport transport) {
  ResolvedLoaderOptions options;
  options.batch_size = 4;
  options.num_workers = workers;
  options.prefetch_factor = 2;
  options.transport = transport;
  return options;
}

BatchTask make_task(std::uint64_t sequence, std::size_t samples = 2) {
  return {.sequence = sequence, .epoch = 0, .indices = std::vector<std::uint64_t>(samples, 3)};
}

std::string outcome_of(const std::optional<WorkerMessage>& message) {
  const auto& outcome = std::get<BatchResult>(message.value()).outcome;
  const auto* error = std::get_if<std::exception_ptr>(&outcome);
  if (!error) return "a batch";
  try {
    std::rethrow_exception(*error);
  } catch (const std::exception& thrown) {
    return thrown.what();
  }
}

class WorkerDeath : public ::testing::TestWithParam<Transport> {
 protected:
  WorkerDeath() {
    for (const std::uint64_t task : {0U, 2U, 3U}) gate_.release(task);
  }

  /// Sends task kFatal to worker 1, which runs `end` after worker 0's results are waiting. Returns
  /// the consumer's error.
  std::string message_of_death_after(const std::function<void()>& end) {
    end_ = end;
    pool_ = make_process_workers(dataset_, options_of(2, GetParam()), clock_);
    pool_->start();
    for (const std::uint64_t sequence : {0U, 1U, 2U})
      pool_->send(sequence % 2, make_task(sequence));
    gate_.wait_until_begun(3);
    EXPECT_EQ(outcome_of(pool_->receive({}, kForEver)), "a batch");
    gate_.release(kFatal);
    return message_of_death();
  }

  /// Starts workers and sends task kFatal to one of them.
  void start_fatal(std::size_t workers, std::size_t worker) {
    pool_ = make_process_workers(dataset_, options_of(workers, GetParam()), clock_);
    pool_->start();
    pool_->send(worker, make_task(kFatal));
  }

  std::string message_of_death() {
    try {
      for (;;) static_cast<void>(pool_->receive({}, kForEver));
    } catch (const WorkerDied& death) {
      return death.what();
    }
  }

  SteadyClock clock_;
  SharedGate gate_;
  SharedValue<std::atomic<pid_t>> pid_{0};
  std::function<void()> end_;
  ScriptedDataset dataset_{100, [this](std::size_t fetcher, const BatchTask& task) {
                             if (task.sequence == kFatal) *pid_ = ::getpid();
                             gate_.enter(fetcher, task.sequence);
                             if (task.sequence == kFatal) end_();
                           }};
  const ProcessFacts before_ = process_facts();
  std::unique_ptr<WorkerPool> pool_;
};

TEST_P(WorkerDeath, by_sigkill_is_reported_with_its_likely_cause) {
  const std::string message = message_of_death_after([] { ::raise(SIGKILL); });
  EXPECT_THAT(message,
              StartsWith("worker process 1 (pid " + std::to_string(*pid_) + ") was killed"));
  EXPECT_THAT(message, AllOf(HasSubstr("SIGKILL"), HasSubstr("memory"), HasSubstr("dmesg")));
}

TEST_P(WorkerDeath, by_an_external_signal_is_detected_while_idle) {
  start_fatal(2, 1);
  gate_.wait_until_begun(1);
  std::jthread killer([&] { ::kill(*pid_, SIGKILL); });
  EXPECT_THAT(message_of_death(), HasSubstr("worker process 1"));
}

TEST_P(WorkerDeath, is_reported_before_waiting_results) {
  pool_ = make_process_workers(dataset_, options_of(2, GetParam()), clock_);
  end_ = [] {};
  pool_->start();
  gate_.release(kFatal);
  pool_->send(1, make_task(kFatal));
  EXPECT_EQ(outcome_of(pool_->receive({}, kForEver)), "a batch");
  for (const std::uint64_t sequence : {0U, 4U}) pool_->send(0, make_task(sequence));
  gate_.wait_until_begun(3);  // A worker that began task 4 has sent the result of task 0.
  ::kill(*pid_, SIGKILL);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(pid_->load()), &info, WEXITED | WNOWAIT), 0);
  EXPECT_THROW(static_cast<void>(pool_->receive({}, kForEver)), WorkerDied);
  gate_.open();
}

TEST_P(WorkerDeath, by_sigbus_is_reported_with_the_free_shared_memory) {
  EXPECT_THAT(message_of_death_after([] { ::raise(SIGBUS); }),
              AllOf(HasSubstr("SIGBUS"), HasSubstr("/dev/shm has"), HasSubstr("MiB free"),
                    HasSubstr("--shm-size"), HasSubstr("prefetch_factor")));
}

TEST_P(WorkerDeath, is_reported_by_signal_or_exit_code_and_leaves_nothing_behind) {
  struct Row {
    std::function<void()> end;
    const char* words;
  };
  for (const Row& row :
       {Row{[] { ::raise(SIGSEGV); }, "SIGSEGV"},
        Row{[] { ::raise(SIGUSR2); }, "was killed by SIGUSR2"},
        Row{[] { ::_exit(3); }, "exited with 3"}, Row{[] { ::_exit(3); }, "num_workers 0"},
        Row{[] { ::_exit(0); }, "exited with 0"}}) {
    gate_.reset();
    for (const std::uint64_t task : {0U, 2U, 3U}) gate_.release(task);
    EXPECT_THAT(message_of_death_after(row.end), HasSubstr(row.words));
    pool_.reset();
    EXPECT_EQ(process_facts(), before_);
  }
}

TEST_P(WorkerDeath, is_reported_until_the_pool_is_restarted) {
  const std::string message = message_of_death_after([] { ::_exit(3); });
  EXPECT_EQ(message_of_death(), message);
  pool_->stop();
  EXPECT_FALSE(has_children());
  gate_.open();
  pool_->start();
  pool_->send(0, make_task(5));
  EXPECT_EQ(outcome_of(pool_->receive({}, kForEver)), "a batch");
}

TEST_P(WorkerDeath, with_queued_tasks_leaves_no_feeder_thread) {
  start_fatal(1, 0);
  for (std::uint64_t i = 0; i < 3; ++i) pool_->send(0, make_task(10 + i, 100'000));
  gate_.wait_until_begun(1);
  ::kill(*pid_, SIGKILL);
  EXPECT_THAT(message_of_death(), HasSubstr("SIGKILL"));
  pool_.reset();
  EXPECT_EQ(process_facts(), before_);
}

TEST_P(WorkerDeath, is_not_caused_by_ctrl_c) {
  end_ = [] { ::raise(SIGINT); };
  gate_.release(kFatal);
  start_fatal(1, 0);
  EXPECT_EQ(outcome_of(pool_->receive({}, kForEver)), "a batch") << "the parent decides";
}

TEST_P(WorkerDeath, by_sigterm_works_while_the_parent_blocks_it) {
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGTERM);
  sigset_t old;
  ::pthread_sigmask(SIG_BLOCK, &blocked, &old);
  const std::string message = message_of_death_after([] { ::raise(SIGTERM); });
  ::pthread_sigmask(SIG_SETMASK, &old, nullptr);
  EXPECT_THAT(message, HasSubstr("SIGTERM"));
}

TEST_P(WorkerDeath, of_a_hanging_worker_comes_with_stop) {
  start_fatal(2, 1);
  gate_.wait_until_begun(1);
  EXPECT_EQ(pool_->receive({}, std::chrono::milliseconds(1)), std::nullopt);  // As after `timeout`.
  pool_->stop();
  EXPECT_EQ(::kill(*pid_, 0), -1);
  pool_.reset();
  EXPECT_EQ(process_facts(), before_);
}

TEST_P(WorkerDeath, is_forced_on_a_hanging_worker_that_ignores_sigterm) {
  end_ = [] {
    static_cast<void>(::signal(SIGTERM, SIG_IGN));
    for (;;) ::pause();
  };
  pool_ = make_process_workers(dataset_, options_of(1, GetParam()), clock_);
  pool_->start();
  gate_.release(kFatal);
  pool_->send(0, make_task(kFatal));
  gate_.wait_until_begun(1);
  EXPECT_EQ(pool_->receive({}, std::chrono::milliseconds(50)), std::nullopt);
  pool_.reset();
  EXPECT_EQ(process_facts(), before_);
}

TEST_P(WorkerDeath, follows_the_death_of_the_parent) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);  // The orphan becomes a child of this process.
  const std::string reply = run_forked([&] {
    end_ = [] {};
    start_fatal(1, 0);
    gate_.wait_until_begun(1);
    return std::to_string(::getpid());  // _exit() follows, without stop().
  });
  int status = 0;
  EXPECT_EQ(::waitpid(*pid_, &status, 0), *pid_);
  ::prctl(PR_SET_CHILD_SUBREAPER, 0);
  // The next pool removes names that both left.
  pool_ = make_process_workers(dataset_, options_of(1, GetParam()), clock_);
  EXPECT_EQ(count_entries("/dev/shm", "feedrate_" + reply + "_"), 0);
}

// Limits apply to the whole process, so these tests run in a child process.

TEST_P(WorkerDeath, is_not_caused_by_too_many_open_files) {
  const Transport transport = GetParam();
  gate_.open();
  end_ = [] {};
  const std::string reply = run_forked([&] {
    pool_ = make_process_workers(dataset_, options_of(1, transport), clock_);
    pool_->start();
    // UBSan opens a pipe at the first object of each class; make it do so before the limit applies.
    std::vector<WorkerMessage> held;
    for (std::uint64_t i = 0; i < 10; ++i) {
      pool_->send(0, make_task(i));
      held.push_back(*pool_->receive({}, kForEver));
    }
    held.clear();
    rlimit old{};
    ::getrlimit(RLIMIT_NOFILE, &old);
    const rlimit limit{40, old.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    for (std::uint64_t i = 0; i < 100; ++i) {
      pool_->send(0, make_task(i));
      held.push_back(*pool_->receive({}, kForEver));
      if (std::holds_alternative<Batch>(std::get<BatchResult>(held.back()).outcome)) continue;
      ::setrlimit(RLIMIT_NOFILE, &old);  // UBSan needs a pipe for the exception, too.
      const std::string outcome = outcome_of(held.back());
      ::setrlimit(RLIMIT_NOFILE, &limit);
      held.clear();
      pool_->send(0, make_task(100));
      return outcome + "; then " + outcome_of(pool_->receive({}, kForEver));
    }
    return std::string("100 batches");
  });
  if (transport == Transport::kFileSystem) {
    EXPECT_EQ(reply, "100 batches");
  } else {
    EXPECT_THAT(reply, AllOf(HasSubstr("too many open files"), HasSubstr("RLIMIT_NOFILE is 40"),
                             HasSubstr("ulimit -n"), HasSubstr("then a batch")));
  }
}

// The kernel also counts descriptors in flight, except root's.
TEST_P(WorkerDeath, is_not_caused_by_too_many_batches_in_flight) {
  gate_.open();
  end_ = [] {};
  const std::string reply = run_forked([&]() -> std::string {
    if (::getuid() == 0 && ::setresuid(54321, 54321, 54321) != 0) return "skip: cannot leave root";
    pool_ = make_process_workers(dataset_, options_of(1, GetParam()), clock_);
    const rlimit limit{40, 40};
    ::setrlimit(RLIMIT_NOFILE, &limit);
    pool_->start();
    for (std::uint64_t i = 0; i < 60; ++i) pool_->send(0, make_task(i));
    gate_.wait_until_begun(60);
    std::size_t batches = 0;
    std::string failure;
    for (std::uint64_t i = 0; i < 60; ++i) {
      const std::string outcome = outcome_of(pool_->receive({}, kForEver));
      if (outcome == "a batch") ++batches;
      if (outcome != "a batch") failure = outcome;
    }
    return batches == 60 ? "all came" : failure;
  });
  if (reply.starts_with("skip")) GTEST_SKIP() << reply;
  if (GetParam() == Transport::kFileSystem) {
    EXPECT_EQ(reply, "all came");
  } else {
    EXPECT_THAT(reply, AllOf(HasSubstr("too many descriptors"), HasSubstr("RLIMIT_NOFILE is 40"),
                             HasSubstr("in worker process 0")));
  }
}

TEST_P(WorkerDeath, is_not_caused_by_too_few_descriptors_for_workers) {
  EXPECT_THAT(run_forked([&]() -> std::string {
                pool_ = make_process_workers(dataset_, options_of(20, GetParam()), clock_);
                pool_->start();  // For UBSan, as above.
                pool_->stop();
                const auto free = static_cast<rlim_t>(process_facts().descriptors) + 8;
                const rlimit limit{free, free};
                ::setrlimit(RLIMIT_NOFILE, &limit);
                try {
                  pool_->start();
                } catch (const SystemError& error) {
                  return std::string(error.what()) +
                         (has_children() || pool_->is_running() ? "; left some" : "");
                }
                return "started";
              }),
              AllOf(HasSubstr("RLIMIT_NOFILE is"), EndsWith("Too many open files")));
}

TEST_P(WorkerDeath, is_not_caused_by_a_lack_of_processes) {
  const std::string reply = run_forked([&]() -> std::string {
    pool_ = make_process_workers(dataset_, options_of(4, GetParam()), clock_);
    if (::getuid() == 0 && ::setresuid(54321, 54321, 54321) != 0) return "skip: cannot leave root";
    const rlimit limit{0, 0};
    ::setrlimit(RLIMIT_NPROC, &limit);
    pool_->start();
    return "started";
  });
  if (reply.starts_with("skip")) GTEST_SKIP() << reply;
  EXPECT_THAT(reply, AllOf(HasSubstr("worker process 0 of 4: cannot fork"),
                           HasSubstr("RLIMIT_NPROC is 0"), HasSubstr("ulimit -u")));
}

// Mounts its own small /dev/shm, so that other tests are unaffected.
TEST_P(WorkerDeath, in_a_full_shared_memory_is_reported_with_its_size) {
  const Transport transport = GetParam();
  const std::string reply = run_forked([&]() -> std::string {
    if (!mount_own_shared_memory("1m")) return "skip: no mounts of our own here";
    gate_.open();
    ResolvedLoaderOptions options = options_of(2, transport);
    options.batch_size = 100'000;  // Samples have 16 bytes: 1.5 MiB in total.
    pool_ = make_process_workers(dataset_, options, clock_);
    pool_->start();
    pool_->send(0, make_task(0));
    pool_->send(1, make_task(2, 100'000));
    try {
      for (int i = 0; i < 2; ++i) static_cast<void>(pool_->receive({}, kForEver));
    } catch (const WorkerDied& death) {
      return death.what();
    }
    return "two batches";
  });
  if (reply.starts_with("skip")) GTEST_SKIP() << reply;
  EXPECT_THAT(
      reply, AllOf(HasSubstr("process 1"), HasSubstr("SIGBUS"), HasSubstr("/dev/shm has 1.0 MiB")));
}

INSTANTIATE_TEST_SUITE_P(transports, WorkerDeath,
                         ::testing::Values(Transport::kFresh, Transport::kFileSystem));

}  // namespace
}  // namespace feedrate::testing
