// SPDX-License-Identifier: Apache-2.0
// When its environment fails, a sweep loses the running cell and nothing else. Killed or hanging
// workers are in worker_faults_test.cpp, a killed runner in resume_test.cpp, Ctrl-C and SIGTERM in
// interrupt_test.cpp, file size limits in faults_test.cpp.
#include <csignal>
#include <fstream>

#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Losses : public Workspace {
 protected:
  /// The text after `words`, up to the next ';' or the line's end.
  static std::string text_after(std::string_view words, std::string_view text) {
    const std::size_t at = text.find(words);
    if (at == text.npos) return {};
    const std::string_view rest = text.substr(at + words.size());
    return std::string(rest.substr(0, rest.find_first_of(";\n")));
  }
  static constexpr std::string_view kKept = "the results are saved in ";
};

TEST_F(Losses, at_a_time_limit_are_the_running_cell_and_resume_measures_the_rest) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: [2, 4], num_workers: [0, 1, 2]"));
  FeedrateChild child("sweep s.yaml --repeats 6 --out r", setup());
  ASSERT_TRUE(child.wait_until([&] { return announced(child.error_text()) >= 4; }));
  child.send(SIGTERM);
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 130);
  const RunResult before = load_run(path("r"));
  EXPECT_EQ(starts_of(before), announced(done.err));
  prepare("sweep --resume r");
  const RunResult after = load_run(path("r"));
  for (std::size_t i = 0; i < after.cells.size(); ++i) {
    ASSERT_EQ(after.cells[i].repeats.size(), 6U);
    for (std::size_t k = 0; k < before.cells[i].repeats.size(); ++k) {
      EXPECT_EQ(after.cells[i].repeats[k].series, before.cells[i].repeats[k].series);
    }
  }
}

TEST_F(Losses, of_a_deleted_results_folder_are_rescued_to_a_named_folder) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: [2, 4], num_workers: [0, 1, 2]"));
  FeedrateChild child("sweep s.yaml --repeats 6 --out r", setup());
  ASSERT_TRUE(child.wait_until([&] { return announced(child.error_text()) >= 3; }));
  std::filesystem::rename(path("r"), path("gone"));
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(done.err, AllOf(HasSubstr("feedrate: r/run."), HasSubstr("No such file")));
  EXPECT_THAT(done.out, HasSubstr("samples_per_second"));
  EXPECT_FALSE(exists("r")) << "what the user took away is not made again";
  const std::filesystem::path rescued = text_after(kKept, done.err);
  ASSERT_FALSE(rescued.empty()) << done.err;
  EXPECT_GE(starts_of(load_run(rescued)), announced(done.err));
  prepare("sweep --resume " + rescued.string());
  for (const CellResult& cell : load_run(rescued).cells) EXPECT_EQ(cell.repeats.size(), 6U);
}

/// Mounts a file system of 200 kB at `at`, for this process and its children only.
bool mount_small_disk(const std::filesystem::path& at) {
  return ::unshare(CLONE_NEWNS) == 0 &&
         ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
         ::mount("tmpfs", at.c_str(), "tmpfs", 0, "size=200k") == 0;
}

bool can_mount_small_disk(const std::filesystem::path& at) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(mount_small_disk(at) ? 0 : 1);
  int status = 0;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

TEST_F(Losses, on_a_full_disk_are_rescued_to_another_one) {
  std::filesystem::create_directory(path("r"));
  if (!can_mount_small_disk(path("r"))) {
    GTEST_SKIP() << "this user may not mount a small disk in a namespace of his own";
  }
  make_images();
  write("s.yaml",
        "engine: native\ndataset: {path: ds}\nloader: {batch_size: [1, 2, 4], num_workers: [0, 1, "
        "2]}\n"
        "device: {name: 'sim:a100-pcie4'}\ntrainer: {kind: burn, step_ms: 0.05}\n"
        "measure: {steps: 900, warmup: 0, repeats: 1, limits: false}\n");
  ChildSetup setup = this->setup();
  setup.before_exec = [at = path("r")] { return mount_small_disk(at); };
  const Finished done = run_feedrate("sweep s.yaml --out r", setup);
  EXPECT_EQ(done.exit_code, 1) << done.err;
  EXPECT_THAT(done.err, AllOf(HasSubstr("feedrate: r/run."), HasSubstr("No space left on device")));
  const std::filesystem::path rescued = text_after(kKept, done.err);
  ASSERT_FALSE(rescued.empty()) << done.err;
  const RunResult run = load_run(rescued);
  EXPECT_GE(count(run, Outcome::kOk), 1U);
  EXPECT_GE(count(run, Outcome::kOk), announced(done.err));
  EXPECT_EQ(count(run, Outcome::kFailed), 0U);
}

TEST_F(Losses, of_a_deleted_file_are_the_cells_that_need_it) {
  make_images();
  write("s.yaml", sweep_config("path: ds, format: [folder, tar]",
                               "batch_size: [2, 4], num_workers: [0, 1, 2]"));
  FeedrateChild child("sweep s.yaml --repeats 6 --out r", setup());
  ASSERT_TRUE(child.wait_until([&] { return announced(child.error_text()) >= 12; }));
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("ds"))) {
    if (entry.path().extension() == ".png") file = entry.path();
  }
  std::filesystem::remove(file);
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  const RunResult run = load_run(path("r"));
  EXPECT_FALSE(run.interrupted);
  for (const CellResult& cell : cells_with(run, "format", "folder")) {
    EXPECT_EQ(cell.outcome, Outcome::kFailed);
    EXPECT_THAT(cell.reason,
                AnyOf(AllOf(HasSubstr(file.filename().string()), HasSubstr("No such file")),
                      HasSubstr("has 15 records and had 16 when the sweep started")));
    EXPECT_GE(cell.repeats.size(), 1U) << "what was measured before is kept";
  }
  for (const CellResult& cell : cells_with(run, "format", "tar")) {
    EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    EXPECT_EQ(cell.repeats.size(), 6U);
  }
}

TEST_F(Losses, of_a_truncated_file_are_the_cells_that_need_it) {
  make_images();
  prepare("data convert ds cut.tar");
  write("s.yaml", sweep_config("path: cut.tar", "batch_size: [2, 4], num_workers: [0, 1, 2]"));
  const std::string file = std::filesystem::is_directory(path("cut.tar"))
                               ? "cut.tar/" + listing("cut.tar").front()
                               : std::string("cut.tar");
  FeedrateChild child("sweep s.yaml --repeats 6 --out r", setup());
  ASSERT_TRUE(child.wait_until([&] { return announced(child.error_text()) >= 7; }));
  cut_in_half(file);
  const Finished done = child.wait();
  EXPECT_EQ(done.exit_code, 1) << done.err;
  const RunResult run = load_run(path("r"));
  EXPECT_EQ(count(run, Outcome::kFailed), 6U);
  for (const CellResult& cell : run.cells) {
    EXPECT_THAT(cell.reason, HasSubstr(file));
    EXPECT_GE(cell.repeats.size(), 1U);
  }
}

class LostGpu : public Losses {
 protected:
  void SetUp() override {
    make_images();
    write("lossy.yaml", device_preset(5, 1000) + "lost_after_launches: 60\n");
  }

  static std::string sweep(std::string_view loader) {
    return fmt::format(
        "engine: native\ndataset: {{path: ds}}\nloader: {{{}}}\ndevice: {{name: "
        "'sim:lossy.yaml'}}\n"
        "trainer: {{kind: burn, step_ms: 1}}\n"
        "measure: {{steps: 8, warmup: 0, repeats: 1, limits: false}}\n",
        loader);
  }
};

TEST_F(LostGpu, fails_its_cell_and_the_others_are_measured) {
  write("s.yaml", sweep("batch_size: [1, 2, 4], num_workers: [0, 1, 2, 3]"));
  fails("sweep s.yaml --out r", {"made up: the device is lost"});
  const RunResult run = load_run(path("r"));
  EXPECT_FALSE(run.interrupted);
  EXPECT_GE(count(run, Outcome::kFailed), 1U);
  EXPECT_GE(count(run, Outcome::kOk), 4U);
  EXPECT_EQ(count(run, Outcome::kFailed) + count(run, Outcome::kOk), 12U);
  for (const CellResult& cell : run.cells) {
    if (cell.outcome == Outcome::kOk) continue;
    EXPECT_THAT(cell.reason, HasSubstr("is lost"));
  }
}

TEST_F(LostGpu, does_not_end_a_tune) {
  write("t.yaml", sweep("batch_size: 4, num_workers: [0, 1, 2], pin_memory: [false, true]"));
  fails("tune t.yaml --engine native --budget 20s --out r", {"the device is lost"});
  const RunResult run = load_run(path("r"));
  EXPECT_FALSE(run.interrupted);
  EXPECT_GE(count(run, Outcome::kFailed), 1U);
  EXPECT_GE(count(run, Outcome::kOk), 1U);
}

TEST_F(Losses, by_a_wall_clock_that_jumps_are_none) {
#ifndef JUMPING_CLOCK
  GTEST_SKIP() << "a static or a sanitized program takes no preloaded clock";
#else
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 2]"));
  ChildSetup setup = this->setup();
  setup.before_exec = [] { return ::setenv("LD_PRELOAD", JUMPING_CLOCK, 1) == 0; };
  const Finished done = run_feedrate("sweep s.yaml --repeats 3 --out r", setup);
  EXPECT_EQ(done.exit_code, 0) << done.err;
  constexpr double kHour = 3600.0;  // a step of a day would exceed it; a busy machine does not
  for (const CellResult& cell : load_run(path("r")).cells) {
    for (const char* const tag : {"step_time_max", "first_batch_time_cold", "loading_time_max"}) {
      const double* const seconds = find_metric(cell.metrics, tag);
      ASSERT_NE(seconds, nullptr) << tag;
      EXPECT_GE(*seconds, 0.0) << tag;
      EXPECT_LT(*seconds, kHour) << tag;
    }
    EXPECT_GT(*find_metric(cell.metrics, "samples_per_second"), 0.0);
  }
#endif
}

class MemoryGroup {
 public:
  explicit MemoryGroup(std::uint64_t limit) {
    for (const char* const root : {"/sys/fs/cgroup/memory", "/sys/fs/cgroup"}) {
      const bool is_v2 = std::filesystem::exists(std::filesystem::path(root) / "cgroup.procs") &&
                         std::string_view(root) == "/sys/fs/cgroup";
      folder_ = std::filesystem::path(root) / fmt::format("feedrate-test-{}", ::getpid());
      if (::mkdir(folder_.c_str(), 0755) != 0) continue;
      const bool has_limit = put(is_v2 ? "memory.max" : "memory.limit_in_bytes", limit);
      static_cast<void>(
          put(is_v2 ? "memory.swap.max" : "memory.memsw.limit_in_bytes", is_v2 ? 0 : limit));
      static_cast<void>(put("memory.swappiness", 0));
      if (has_limit) return;
      ::rmdir(folder_.c_str());
    }
    folder_.clear();
  }
  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  ~MemoryGroup() {
    if (!folder_.empty()) ::rmdir(folder_.c_str());
  }

  [[nodiscard]] bool is_there() const { return !folder_.empty(); }
  [[nodiscard]] bool join() const {
    return put("cgroup.procs", static_cast<std::uint64_t>(::getpid()));
  }

 private:
  [[nodiscard]] bool put(const char* file, std::uint64_t value) const {
    std::ofstream out(folder_ / file);
    out << value << std::flush;
    return out.good();
  }

  std::filesystem::path folder_;
};

TEST_F(Losses, by_the_out_of_memory_killer_are_the_cell_of_its_worker) {
  constexpr std::uint64_t kLimit = std::uint64_t{192} << 20;
  const MemoryGroup group(kLimit);
  if (!group.is_there()) GTEST_SKIP() << "this user may not make a control group with a limit";
  prepare("data make ds --count 2048");
  write("s.yaml",
        "engine: native\ndataset: {path: ds}\nloader: {batch_size: [4, 2048], num_workers: 2, "
        "prefetch_factor: 4}\n"
        "device: {name: 'sim:a100-pcie4'}\ntrainer: {kind: burn, step_ms: 1, reference_batch: 4}\n"
        "measure: {steps: 8, warmup: 0, repeats: 2, limits: false, memory_guard: false}\n");
  ChildSetup setup = this->setup();
  setup.before_exec = [&group] { return group.join(); };
  const Finished done = run_feedrate("sweep s.yaml --out r", setup);
  EXPECT_EQ(done.exit_code, 1) << done.err;
  const RunResult run = load_run(path("r"));
  EXPECT_FALSE(run.interrupted);
  for (const CellResult& cell : cells_with(run, "batch_size", "2048")) {
    EXPECT_EQ(cell.outcome, Outcome::kFailed);
    EXPECT_THAT(cell.reason,
                AllOf(HasSubstr("out of memory: the kernel killed"),
                      HasSubstr("whose limit is 201 MB"), HasSubstr("worker process")));
  }
  for (const CellResult& cell : cells_with(run, "batch_size", "4")) {
    EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    EXPECT_EQ(cell.repeats.size(), 2U);
  }
}

}  // namespace
}  // namespace feedrate::testing
