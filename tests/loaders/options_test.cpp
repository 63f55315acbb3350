// SPDX-License-Identifier: Apache-2.0
#include "loaders/options.h"

#include <limits>

#include "core/error.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

TEST(LoaderOptions, prefetch_factor_is_two_where_there_are_workers) {
  EXPECT_EQ(resolve({.num_workers = 3}).prefetch_factor, 2U);
  EXPECT_EQ(resolve({.num_workers = 3}).max_outstanding(), 6U);
  EXPECT_EQ(resolve({.num_workers = 0}).prefetch_factor, 0U);
}

TEST(LoaderOptions, pin_memory_decides_the_kind_of_host_memory) {
  EXPECT_EQ(resolve({.pin_memory = true}).memory, HostMemory::kPinned);
  EXPECT_EQ(resolve({.pin_memory = false}).memory, HostMemory::kPageable);
}

void expect_rejected(const LoaderOptions& options, const char* message) {
  EXPECT_THAT([&] { static_cast<void>(resolve(options)); },
              ThrowsMessage<ConfigError>(
                  AllOf(StartsWith(message), HasSubstr("(PyTorch raises ValueError)"))));
}

TEST(LoaderOptions, are_rejected_where_pytorch_raises_naming_the_first_fault) {
  expect_rejected({.num_workers = -1},
                  "num_workers: -1 is negative; must be 0 (load in the training process)");
  expect_rejected({.num_workers = 1, .timeout = -0.5},
                  "timeout: -0.5 is not a valid number of seconds");
  expect_rejected({.timeout = -1.0}, "timeout: -1 is not a valid number of seconds");
  expect_rejected({.timeout = std::numeric_limits<double>::quiet_NaN()}, "timeout: nan");
  expect_rejected({.timeout = std::numeric_limits<double>::infinity()}, "timeout: inf");
  for (const std::int64_t factor : {-1, 0, 2}) {
    expect_rejected({.num_workers = 0, .prefetch_factor = factor},
                    "prefetch_factor: has no effect with num_workers 0");
  }
  expect_rejected({.num_workers = 1, .prefetch_factor = -1}, "prefetch_factor: -1 is negative");
  expect_rejected({.num_workers = 0, .persistent_workers = true},
                  "persistent_workers: needs workers");
  expect_rejected({.num_workers = 0, .multiprocessing_context = "fork"},
                  "multiprocessing_context: 'fork' has no effect with num_workers 0");
  expect_rejected({.batch_size = 0}, "batch_size: 0 is not a positive integer");
  expect_rejected({.batch_size = -3}, "batch_size: -3 is not a positive integer");
  expect_rejected({.batch_size = 0, .num_workers = -1, .timeout = -1.0}, "num_workers: -1");
  expect_rejected({.batch_size = 0, .num_workers = 1, .multiprocessing_context = "x"},
                  "multiprocessing_context: 'x'");
}

TEST(LoaderOptions, prefetch_factor_zero_is_accepted_and_fails_on_iteration) {
  const ResolvedLoaderOptions options = resolve({.num_workers = 1, .prefetch_factor = 0});
  EXPECT_EQ(options.prefetch_factor, 0U);
  EXPECT_THAT([&] { check_iterable(options); },
              ThrowsMessage<ConfigError>(AllOf(StartsWith("prefetch_factor: 0 loads no batch"),
                                               HasSubstr("when the loader is iterated"))));
}

TEST(LoaderOptions, timeout_without_workers_is_accepted_and_fails_on_iteration) {
  const ResolvedLoaderOptions options = resolve({.num_workers = 0, .timeout = 2.5});
  EXPECT_THAT([&] { check_iterable(options); },
              ThrowsMessage<ConfigError>(
                  AllOf(StartsWith("timeout: 2.5 s is not supported with num_workers 0"),
                        HasSubstr("when the loader is iterated"))));
}

TEST(LoaderOptions, valid_options_can_be_iterated) {
  EXPECT_NO_THROW(check_iterable(resolve({})));
  EXPECT_NO_THROW(
      check_iterable(resolve({.num_workers = 1, .prefetch_factor = 1, .timeout = 2.5})));
}

TEST(LoaderOptions, multiprocessing_context_is_a_start_method) {
  expect_rejected({.num_workers = 1, .multiprocessing_context = "forkk"},
                  "multiprocessing_context: 'forkk' is not a start method; must be one of fork, "
                  "spawn, forkserver");
  for (const char* const method : {"fork", "spawn", "forkserver"}) {
    EXPECT_EQ(
        resolve({.num_workers = 1, .multiprocessing_context = method}).multiprocessing_context,
        method);
  }
  EXPECT_EQ(resolve({.num_workers = 1}).multiprocessing_context, "");
}

TEST(CpusForWorkers, are_the_affinity_where_nothing_else_limits) {
  EXPECT_EQ(cpus_for_workers(CpuBudget{.online = 64, .affinity = 16}), 16);
}

TEST(CpusForWorkers, are_limited_by_the_quota) {
  EXPECT_EQ(cpus_for_workers(CpuBudget{.online = 64, .affinity = 16, .quota = 2.0}), 2);
  EXPECT_EQ(cpus_for_workers(CpuBudget{.online = 64, .affinity = 16, .quota = 1.5}), 2);
  EXPECT_EQ(cpus_for_workers(CpuBudget{.online = 64, .affinity = 16, .quota = 0.1}), 1);
  EXPECT_EQ(cpus_for_workers(CpuBudget{.online = 64, .affinity = 16, .quota = 8.0, .ranks = 4}), 2);
}

TEST(CpusForWorkers, are_shared_by_the_ranks_of_the_node) {
  const CpuBudget own{.online = 64, .affinity = 16, .ranks = 4};
  EXPECT_EQ(cpus_for_workers(own), 16);
  const CpuBudget overlapping{.online = 64, .affinity = 64, .ranks = 4};
  EXPECT_EQ(cpus_for_workers(overlapping), 16);
  const CpuBudget shared{.online = 64, .affinity = 16, .ranks = 4, .ranks_share_affinity = true};
  EXPECT_EQ(cpus_for_workers(shared), 4);
}

TEST(CpusForWorkers, are_never_none) { EXPECT_EQ(cpus_for_workers(CpuBudget{.ranks = 0}), 1); }

TEST(Warnings, are_none_up_to_the_usable_cpus) {
  EXPECT_THAT(warnings(resolve({.num_workers = 16}), {.online = 16, .affinity = 16}), IsEmpty());
  EXPECT_THAT(warnings(resolve({.num_workers = 0}), {}), IsEmpty());
}

// PyTorch's condition: num_workers > len(os.sched_getaffinity(0)).
TEST(Warnings, name_more_workers_than_the_affinity_holds) {
  EXPECT_THAT(warnings(resolve({.num_workers = 17}), {.online = 64, .affinity = 16}),
              ElementsAre("num_workers: 17 workers share 16 usable CPUs (affinity 16 of 64, 1 rank "
                          "on this node) and may slow each other down; at most 16 can run at once. "
                          "PyTorch, which considers only the affinity, also warns."));
}

TEST(Warnings, name_the_limits_that_pytorch_ignores) {
  EXPECT_THAT(
      warnings(resolve({.num_workers = 8}),
               {.online = 16, .affinity = 16, .quota = 2.0, .ranks = 1}),
      ElementsAre("num_workers: 8 workers share 2 usable CPUs (affinity 16 of 16, cgroup quota 2, "
                  "1 rank on this node) and may slow each other down; at most 2 can run at once. "
                  "PyTorch, which considers only the affinity, warns at 17 or more."));
  EXPECT_THAT(warnings(resolve({.num_workers = 8}), {.online = 16, .affinity = 16, .ranks = 4}),
              ElementsAre(HasSubstr("4 usable CPUs (affinity 16 of 16, 4 ranks on this node)")));
}

}  // namespace
}  // namespace feedrate
