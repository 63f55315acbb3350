// SPDX-License-Identifier: Apache-2.0
// Workers that die, hang, or run out of memory or descriptors during a sweep: the cell names the
// cause, the others are measured, and no process, segment or folder is left.
#include "tests/program/worker_faults.h"

#include <csignal>
#include <optional>

#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/report/load_run.h"

namespace feedrate::testing {
namespace {

/// A shell does the same, so that Ctrl-C reaches all processes. Not for stopped workers: the kernel
/// would end them when their group loses feedrate.
bool begin_group() { return ::setpgid(0, 0) == 0; }

class OneOfTwoWorkers : public WorkerFaults, public ::testing::WithParamInterface<Kind> {
 protected:
  [[nodiscard]] bool is_torch() const { return GetParam().engine == kTorch.engine; }
};

TEST_P(OneOfTwoWorkers, that_is_killed_fails_its_cell_with_the_cause) {
  write_sweep(GetParam(), "num_workers: [1, 2]", kSlow);
  start();
  const std::optional<pid_t> worker = stop_worker_in_mid_epoch();
  if (worker) ::kill(*worker, SIGKILL);
  REQUIRE_TORCH(finish());
  ASSERT_TRUE(worker) << done_.err;
  const std::string pid = std::to_string(*worker);
  expect_only_the_cell_of_two_fails(
      is_torch() ? AllOf(HasSubstr("DataLoader worker"), HasSubstr(pid), HasSubstr("killed by"))
                 : AllOf(HasSubstr("worker process"), HasSubstr(pid), HasSubstr("SIGKILL")));
}

class HangingWorker : public WorkerFaults, public ::testing::WithParamInterface<Kind> {};

TEST_P(HangingWorker, fails_its_cell_by_the_timeout_and_is_gone) {
  write_sweep(GetParam(), "num_workers: [1, 2], timeout: 2", kSlow);
  start();
  const std::optional<pid_t> worker = stop_worker_in_mid_epoch();
  static_cast<void>(finish());
  ASSERT_TRUE(worker) << done_.err;
  expect_only_the_cell_of_two_fails(HasSubstr("timeout: no batch within 2 s"));
}

INSTANTIATE_TEST_SUITE_P(Kinds, HangingWorker, ::testing::Values(kFresh, kFileSystem),
                         [](const auto& tested) { return std::string(tested.param.name); });

// The worker hangs in the dataset and is not stopped: PyTorch's timeout is for the next batch; for
// a stopped worker that has announced one it would wait for ever.
class HangingSample : public WorkerFaults {};

TEST_F(HangingSample, of_pytorch_fails_its_cells_by_the_timeout_and_is_gone) {
  write_sweep(kTorch, "torch: 'mine:make', args: {hanging: 6}", "num_workers: [1, 2], timeout: 2",
              kQuick);
  REQUIRE_TORCH(run());
  EXPECT_EQ(done_.exit_code, 1) << done_.err;
  expect_failed(csv().cells, HasSubstr("DataLoader timed out after 2"));
}

TEST_P(OneOfTwoWorkers, ends_with_ctrl_c_and_results_are_kept) {
  write_sweep(GetParam(), "num_workers: 2, prefetch_factor: [1, 2, 3, 4, 5, 6, 7, 8]", kSlow);
  start(begin_group);
  const bool one_is_measured = child_->wait_for_error_text("[1/8] ");
  const bool workers_run =
      one_is_measured && child_->wait_until([&] { return worker_in_mid_epoch().has_value(); });
  if (workers_run) ::kill(-child_->pid(), SIGINT);
  REQUIRE_TORCH(finish());
  ASSERT_TRUE(workers_run) << done_.err;
  EXPECT_EQ(done_.exit_code, 130);
  EXPECT_THAT(done_.err, HasSubstr("interrupted; measured results are saved"));
  const RunResult run = load_run(path("results"));
  EXPECT_TRUE(run.interrupted);
  std::size_t measured = 0;
  for (const CellResult& cell : csv().cells) {
    EXPECT_NE(cell.outcome, Outcome::kFailed) << cell.reason;
    measured += cell.outcome == Outcome::kOk ? 1 : 0;
  }
  EXPECT_GE(measured, 1U);
  EXPECT_LT(measured, 8U);
}

INSTANTIATE_TEST_SUITE_P(Kinds, OneOfTwoWorkers, ::testing::Values(kFresh, kFileSystem, kTorch),
                         [](const auto& tested) { return std::string(tested.param.name); });

class SeventhSample : public WorkerFaults {};

TEST_F(SeventhSample, that_is_damaged_fails_its_cells_by_file_and_record) {
  make_images("--encoding jpeg");
  cut_in_half("ds/cat/0000003.jpg");
  write("s.yaml",
        "engine: native\ndataset: {path: ds}\n"
        "loader: {batch_size: 4, num_workers: 2, transport: [fresh, file_system]}\n"
        "device: {name: 'sim:a100-pcie4'}\n"
        "trainer: {kind: burn, step_ms: 1}\n"
        "measure: {steps: 8, warmup: 0, repeats: 1, limits: false}\n");
  ASSERT_TRUE(run());
  EXPECT_EQ(done_.exit_code, 1) << done_.err;
  expect_failed(csv().cells, HasSubstr("ds/cat/0000003.jpg: record 6: "));
}

TEST_F(SeventhSample, that_raises_fails_the_cells_of_pytorch_with_its_message) {
  write_sweep(kTorch, "torch: 'mine:make', args: {spoilt: 6}", "num_workers: [1, 2]", kQuick);
  REQUIRE_TORCH(run());
  EXPECT_EQ(done_.exit_code, 1) << done_.err;
  expect_failed(csv().cells, AllOf(HasSubstr("ValueError: record 6 is spoilt"),
                                   HasSubstr("DataLoader worker process"), HasSubstr("mine.py")));
}

/// Equals `ulimit -n 64`.
bool allow_64_descriptors() {
  const rlimit limit{64, 64};
  return ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

class FewDescriptors : public WorkerFaults {};

TEST_F(FewDescriptors, for_many_workers_are_named_with_their_limit) {
  make_images();
  write("s.yaml",
        "engine: native\ndataset: {path: ds}\n"
        "loader: {batch_size: 4, num_workers: [2, 30, 80], prefetch_factor: 4, "
        "transport: [fresh, file_system]}\n"
        "device: {name: 'sim:a100-pcie4'}\n"
        "trainer: {kind: burn, step_ms: 1}\n"
        "measure: {steps: 8, warmup: 0, repeats: 1, epochs: 0, limits: false, "
        "memory_guard: false}\n");
  ASSERT_TRUE(run(allow_64_descriptors));
  EXPECT_EQ(done_.exit_code, 1) << done_.err;
  const RunResult run = csv();
  expect_failed(cells_with(run, "num_workers", "80"), HasSubstr("RLIMIT_NOFILE is 64"));
  expect_measured(cells_with(run, "num_workers", "2"));
  // The number depends on how many batches arrive out of order.
  for (const CellResult& cell : cells_with(run, "num_workers", "30")) {
    if (cell.outcome != Outcome::kOk) {
      EXPECT_THAT(cell.reason, HasSubstr("RLIMIT_NOFILE is 64"));
    }
  }
}

TEST_F(FewDescriptors, for_many_workers_of_pytorch_are_reported_by_pytorch) {
  write_sweep(kTorch, "num_workers: [1, 80]", kQuick);
  REQUIRE_TORCH(run(allow_64_descriptors));
  EXPECT_EQ(done_.exit_code, 1) << done_.err;
  expect_failed(cells_with(csv(), "num_workers", "80"), HasSubstr("Too many open files"));
  expect_measured(cells_with(csv(), "num_workers", "1"));
}

/// Mounts a /dev/shm of 1 MiB for this process and its children only.
bool shrink_shared_memory() {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", "/dev/shm", "tmpfs", 0, "size=1m") == 0;
}

bool can_shrink_shared_memory() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(shrink_shared_memory() ? 0 : 1);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

class SmallSharedMemory : public WorkerFaults {
 protected:
  void SetUp() override {
    WorkerFaults::SetUp();
    if (!can_shrink_shared_memory()) {
      GTEST_SKIP() << "this user may not mount a small /dev/shm in a namespace of his own";
    }
  }

  void TearDown() override {
    WorkerFaults::TearDown();
    if (shared_memory_ >= 0) ::close(shared_memory_);
  }

  bool run_with_little() {
    start(shrink_shared_memory);
    // an open descriptor outlives the namespace
    const bool found = child_->wait_until([&] { return found_its_shared_memory(); });
    const bool is_there = finish();
    EXPECT_TRUE(found || !is_there) << done_.err;
    return is_there;
  }

  [[nodiscard]] std::vector<std::string> left_in_it() const {
    std::vector<std::string> names;
    const std::string folder = fmt::format("/proc/self/fd/{}", shared_memory_);
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      names.push_back(entry.path().filename().string());
    }
    return names;
  }

 private:
  bool found_its_shared_memory() {
    const std::string folder = fmt::format("/proc/{}/root/dev/shm", child_->pid());
    const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct statfs status {};
    const bool found = descriptor >= 0 && ::fstatfs(descriptor, &status) == 0 &&
                       static_cast<std::size_t>(status.f_bsize) * status.f_blocks == 1U << 20;
    if (found) shared_memory_ = descriptor;
    if (!found && descriptor >= 0) ::close(descriptor);
    return found;
  }

  int shared_memory_ = -1;
};

TEST_F(SmallSharedMemory, skips_the_cells_that_need_more_with_both_figures) {
  prepare("data make ds --count 128");
  write("s.yaml",
        "engine: native\ndataset: {path: ds}\n"
        "loader: {batch_size: 128, num_workers: [0, 2]}\n"
        "device: {name: 'sim:a100-pcie4'}\n"
        "trainer: {kind: burn, step_ms: 1}\n"
        "measure: {steps: 4, warmup: 0, repeats: 1, limits: false}\n");
  ASSERT_TRUE(run_with_little());
  EXPECT_EQ(done_.exit_code, 0) << done_.err;
  expect_measured(cells_with(csv(), "num_workers", "0"));
  for (const CellResult& cell : cells_with(csv(), "num_workers", "2")) {
    EXPECT_EQ(cell.outcome, Outcome::kSkipped);
    EXPECT_THAT(cell.reason, AllOf(HasSubstr("/dev/shm: needs "), HasSubstr("available 1.05 MB")));
  }
}

TEST_F(SmallSharedMemory, fails_the_cells_that_need_more_with_a_hint) {
  prepare("data make ds --count 128");
  write("s.yaml",
        "engine: native\ndataset: {path: ds}\n"
        "loader: {batch_size: 128, num_workers: [0, 2], "
        "transport: [fresh, file_system]}\n"
        "device: {name: 'sim:a100-pcie4'}\n"
        "trainer: {kind: burn, step_ms: 1}\n"
        "measure: {steps: 4, warmup: 0, repeats: 1, limits: false, memory_guard: false}\n");
  ASSERT_TRUE(run_with_little());
  EXPECT_EQ(done_.exit_code, 1) << done_.err;
  // A worker dies while it writes, the other one finds no space; either may be first.
  const auto needs_memory = AllOf(HasSubstr("worker process"),
                                  AnyOf(HasSubstr("SIGBUS"), HasSubstr("No space left on device")),
                                  HasSubstr("/dev/shm has 1.0 MiB"), HasSubstr("--shm-size"));
  expect_measured(cells_with(csv(), "num_workers", "0"));
  expect_failed(cells_with(csv(), "num_workers", "2"), needs_memory);
  EXPECT_THAT(left_in_it(), IsEmpty());
}

TEST_F(SmallSharedMemory, fails_the_cells_of_pytorch_with_its_hint) {
  std::string module(kModule);
  module.replace(module.find("(8,)"), 4, "(100000,)");
  write("mine.py", module);
  write_sweep(kTorch, "num_workers: [0, 2]", kQuick);
  REQUIRE_TORCH(run_with_little());
  EXPECT_EQ(done_.exit_code, 1) << done_.err;
  expect_measured(cells_with(csv(), "num_workers", "0"));
  expect_failed(cells_with(csv(), "num_workers", "2"),
                AnyOf(HasSubstr("out of shared memory"), HasSubstr("unable to allocate shared")));
  // PyTorch's worker dies while its segment has a name, and PyTorch never removes it
  EXPECT_THAT(left_in_it(), Each(StartsWith("torch_")));
}

}  // namespace
}  // namespace feedrate::testing
