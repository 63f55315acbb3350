// The PyTorch engine through the program: what a user sees of it, with torch and without.
#include <cstdlib>
#include <optional>

#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>

#include "host/storage.h"
#include "report/load_run.h"
#include "tests/cli/workspace.h"
#include "tests/support/fake_python.h"

namespace feedrate::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr std::string_view kMineModule = R"(
import os, signal, sys, time, warnings
import torch

class Numbers(torch.utils.data.Dataset):
    def __len__(self):
        return 64
    def __getitem__(self, index):
        return torch.full((8,), float(index)), index

class Sick(Numbers):
    def __init__(self, what):
        self.what = what
    def __getitem__(self, index):
        if index == 30:
            self.what()
        return super().__getitem__(index)

def fail(): raise ValueError("sample 30 is spoilt")
def leave(): os._exit(5)
def die(): os.kill(os.getpid(), signal.SIGKILL)
def hang(): time.sleep(1000)
def complain(): warnings.warn("sample 30 is odd")

def make(): return Numbers()
def make_sick(what): return Sick(globals()[what])
def raising(): raise OSError("no such disk")
def nothing(): return None
def unsized():
    class Unsized:
        def __getitem__(self, index): return 0
    return Unsized()
def empty(): return []
def words(): return ["a"] * 64
def as_text(samples): return "no tensor here"
class Stream(torch.utils.data.IterableDataset):
    def __iter__(self): return iter(torch.arange(40.0))
a_number = 7
)";

class TorchEngine : public Workspace {
 protected:
  void SetUp() override { write("mine.py", kMineModule); }

  /// A sweep of the own dataset; this test is over, as skipped, where there is no torch.
  void sweep(std::string_view dataset, std::string_view loader = "batch_size: 4",
             std::string_view options = "") {
    write("s.yaml", sweep_config(fmt::format("torch: {}", dataset), loader));
    done_ = feedrate(fmt::format("sweep s.yaml --out results {}", options));
    if (done_.err.find("no Python that can import torch") != std::string::npos) {
      has_torch_ = false;
    }
  }

  [[nodiscard]] RunResult results() const { return load_run(path("results")); }
  [[nodiscard]] std::string reason() const { return results().cells.at(0).reason; }

  Finished done_;
  bool has_torch_ = true;
};

#define NEEDS_TORCH() \
  if (!has_torch_) GTEST_SKIP() << "no Python here can import torch; FEEDRATE_PYTHON may name one"

class WithoutTorch : public Workspace {
 protected:
  void SetUp() override {
    if (const char* set = ::getenv("FEEDRATE_PYTHON")) before_ = set;
  }
  void TearDown() override {
    before_ ? ::setenv("FEEDRATE_PYTHON", before_->c_str(), 1) : ::unsetenv("FEEDRATE_PYTHON");
  }

  Finished sweep_with(const std::filesystem::path& python) {
    ::setenv("FEEDRATE_PYTHON", python.c_str(), 1);
    write("s.yaml", sweep_config("path: ds") + "engine: torch\n");
    make_images();
    return feedrate("sweep s.yaml --out results");
  }

 private:
  std::optional<std::string> before_;
};

TEST_F(WithoutTorch, a_sweep_ends_before_it_measures_and_names_the_cure) {
  const FakePython python("echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1");
  const Finished done = sweep_with(python.path());
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err,
              AllOf(HasSubstr("no Python that can import torch"), HasSubstr("pip install torch"),
                    HasSubstr(python.path().string()), HasSubstr("No module named 'torch'")));
  EXPECT_FALSE(exists("results"));
}

TEST_F(WithoutTorch, a_plan_says_so_too) {
  ::setenv("FEEDRATE_PYTHON", "/nonexistent/python3", 1);
  write("s.yaml",
        sweep_config("path: ds, make: {preset: cifar10-like, count: 16}") + "engine: torch\n");
  const Finished done = feedrate("plan s.yaml");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("/nonexistent/python3"));
}

TEST_F(TorchEngine, a_plan_names_an_own_module_that_is_missing) {
  write("s.yaml", sweep_config("torch: 'not_there:Dataset'"));
  const Finished done = feedrate("plan s.yaml");
  has_torch_ = done.err.find("no Python that can import torch") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("not_there"));
}

TEST_F(WithoutTorch, a_missing_python_is_named) {
  const Finished done = sweep_with("/nonexistent/python3");
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("/nonexistent/python3"));
}

TEST_F(TorchEngine, tells_what_cold_data_cost_the_disk) {
  if (read_storage_info(path(".")).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << path(".");
  }
  write("s.yaml", sweep_config("path: ds, make: {preset: cifar10-like, count: 300}, cache: cold") +
                      "engine: torch\n");
  const Finished done = feedrate("sweep s.yaml --out results");
  if (done.err.find("no Python that can import torch") != std::string::npos) has_torch_ = false;
  NEEDS_TORCH();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_GT(*find_metric(results().cells.at(0).metrics, "storage_read_bytes"), 0.0);
}

TEST_F(TorchEngine, runs_beside_the_native_one_with_the_same_columns) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: 4, num_workers: [0, 2]") +
                      "engine: [native, torch]\n");
  const Finished done = feedrate("sweep s.yaml --out results");
  has_torch_ = done.err.find("no Python that can") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_EQ(done.exit_code, 0) << done.err << done.out;
  for (const CellResult& cell : results().cells) {
    EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    for (const char* tag : {"loading_time", "training_time", "first_batch_time", "epoch_end_time",
                            "samples_per_second", "au", "memory", "cpu_time", "compute_time_device",
                            "batches_per_epoch", "cached_before"}) {
      EXPECT_NE(find_metric(cell.metrics, tag), nullptr) << tag;
    }
    EXPECT_NEAR(*find_metric(cell.metrics, "compute_time_device"), 1e-3, 5e-5);
    EXPECT_DOUBLE_EQ(*find_metric(cell.metrics, "batches_per_epoch"), 4);
  }
}

// A quarter of the bytes crosses, and a kernel makes the floats.
TEST_F(TorchEngine, leaves_normalisation_to_the_device_where_it_is_asked_to) {
  prepare("data make ds --count 256");
  write("s.yaml", sweep_config("path: ds") +
                      "engine: torch\npipeline: {transforms: [to_tensor, normalize: {mean: [0.5, "
                      "0.5, 0.5], std: [0.2, 0.2, 0.2]}]}\n");
  const Finished done = feedrate(
      "sweep s.yaml --out results --axis batch_size=256 "
      "--axis normalize_on=cpu,gpu,wire_dtype=float32,uint8");
  has_torch_ = done.err.find("no Python that can") == std::string::npos;
  NEEDS_TORCH();
  ASSERT_EQ(done.exit_code, 0) << done.err << done.out;
  const RunResult run = results();
  const CellResult cpu = cells_with(run, "wire_dtype", "float32").at(0);
  const CellResult gpu = cells_with(run, "wire_dtype", "uint8").back();
  ASSERT_EQ(cpu.outcome, Outcome::kOk) << cpu.reason;
  ASSERT_EQ(gpu.outcome, Outcome::kOk) << gpu.reason;
  const auto of = [](const CellResult& cell, const char* tag) {
    return *find_metric(cell.metrics, tag);
  };
  EXPECT_LT(of(gpu, "copy_time_device"), of(cpu, "copy_time_device"));
  EXPECT_GT(of(gpu, "compute_time_device"), of(cpu, "compute_time_device"));
}

TEST_F(TorchEngine, pads_sequences_as_the_native_one_does) {
  write(
      "s.yaml",
      sweep_config("path: ds, make: {preset: tokens-like, count: 64, format: tfrecord}",
                   "batch_size: 4, num_workers: [0, 1], pin_memory: true, group_by_length: true") +
          "pipeline: {transforms: [tokens: 300], padding: longest}\nengine: [native, torch]\n");
  const Finished done = feedrate("sweep s.yaml --out results --steps 16");
  has_torch_ = done.err.find("no Python that can") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_EQ(done.exit_code, 0) << done.err << done.out;
  const double* native = nullptr;
  const RunResult run = results();
  for (const CellResult& cell : run.cells) {
    ASSERT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    const double* const padding = find_metric(cell.metrics, "padding_share");
    ASSERT_NE(padding, nullptr);
    EXPECT_NE(find_metric(cell.metrics, "tokens_per_second"), nullptr);
    if (native == nullptr) native = padding;
    EXPECT_NEAR(*padding, *native, 0.05);  // Windows begin at batches of their own.
  }
}

// Labels are 2 of 18 words of a sample, and no work.
TEST_F(TorchEngine, trains_on_tokens_for_as_long_as_the_native_one) {
  write("s.yaml", sweep_config("path: ds, make: {preset: tokens-like, count: 64, format: tfrecord}",
                               "batch_size: 4") +
                      "pipeline: {transforms: [tokens: 16], padding: max_length}\n"
                      "engine: [native, torch]\n");
  const Finished done = feedrate("sweep s.yaml --out results --steps 8 --axis step_ms=20");
  has_torch_ = done.err.find("no Python that can") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_EQ(done.exit_code, 0) << done.err << done.out;
  for (const CellResult& cell : results().cells) {
    const double* const computing = find_metric(cell.metrics, "compute_time_device");
    ASSERT_NE(computing, nullptr) << cell.reason;
    EXPECT_NEAR(*computing, 0.020, 0.0005);
  }
}

TEST_F(TorchEngine, takes_no_images_for_tokens) {
  write("s.yaml", sweep_config("path: ds, make: {preset: cifar10-like, count: 8, format: tar}",
                               "batch_size: 4") +
                      "pipeline: {transforms: [tokens: 300]}\nengine: torch\n");
  const Finished done = feedrate("sweep s.yaml --out results --steps 4");
  has_torch_ = done.err.find("no Python that can") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_THAT(done.err, HasSubstr("ds: holds images; tokens are opaque bytes"));
}

class OwnDataset : public TorchEngine {};

TEST_F(OwnDataset, is_swept_by_one_command) {
  sweep("'mine:make'", "batch_size: 4, num_workers: [0, 1], pin_memory: true, shuffle: true");
  NEEDS_TORCH();
  EXPECT_EQ(done_.exit_code, 0) << done_.err << done_.out;
  EXPECT_THAT(results().cells, SizeIs(2));
  // Two tensors of at least a page each: the pin thread has done its work.
  EXPECT_GE(*find_metric(results().cells.at(1).metrics, "pinned_memory"), 8192.0);
}

TEST_F(OwnDataset, is_judged_by_the_limits_of_its_trainer_and_its_loader) {
  for (const char* const dataset : {"'mine:make'", "'mine:Stream'"}) {
    write("s.yaml",
          sweep_config(fmt::format("torch: {}", dataset), "batch_size: 4, pin_memory: true"));
    std::string text = read("s.yaml");
    text.erase(text.find("limits: false"), 13);
    write("s.yaml", text);
    const Finished done = feedrate("sweep s.yaml --out results");
    has_torch_ = done.err.find("no Python that can") == std::string::npos;
    NEEDS_TORCH();
    ASSERT_EQ(done.exit_code, 0) << done.err << done.out;
    const RunResult run = results();
    EXPECT_EQ(run.cells.size(), 3);
    const CellResult& cell = run.cells.front();
    for (const char* tag : {"trainer_limit", "loader_limit", "stall", "headspace"}) {
      EXPECT_NE(find_metric(cell.metrics, tag), nullptr) << tag;
    }
    EXPECT_NE(cell.bottleneck, "");
    // 4 samples a step of 1 ms.
    EXPECT_LE(*find_metric(cell.metrics, "trainer_limit"), 4000.0);
    std::filesystem::remove_all(path("results"));
  }
}

TEST_F(OwnDataset, the_example_that_comes_with_feedrate_runs) {
  const std::filesystem::path configs = std::filesystem::path(FEEDRATE_SOURCE_DIR) / "configs";
  write("own-dataset.yaml", read_file(configs / "own-dataset.yaml"));
  write("own_dataset.py", read_file(configs / "own_dataset.py"));
  const Finished done = feedrate(
      "sweep own-dataset.yaml --out results --device sim:a100-pcie4 --steps 2 --repeats 1 --axis "
      "num_workers=0,1");
  has_torch_ = done.err.find("no Python that can") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_EQ(done.exit_code, 0) << done.err << done.out;
}

TEST_F(OwnDataset, may_be_iterable) {
  sweep("'mine:Stream'", "batch_size: 4, num_workers: [0, 1]");
  NEEDS_TORCH();
  EXPECT_EQ(done_.exit_code, 0) << done_.err << done_.out;
}

TEST_F(OwnDataset, the_first_mistake_of_each_kind_names_the_key_and_the_cure) {
  const std::vector<std::pair<std::string_view, std::string_view>> mistakes{
      {"'not_there:make'", "dataset.torch: there is no module not_there"},
      {"'mine:not_there'", "has no not_there; name a function of it"},
      {"'mine:a_number'", "dataset.torch: mine:a_number is a int"},
      {"'mine:raising'", "dataset.torch: mine:raising() raised OSError: no such disk"},
      {"'mine:make', args: {root: /x}", "dataset.args must be what it takes"},
      {"'mine:nothing'", "returned None"},
      {"'mine:make', collate_fn: 'mine:gone'", "dataset.collate_fn: module mine"}};
  for (const auto& [dataset, message] : mistakes) {
    sweep(dataset);
    NEEDS_TORCH();
    EXPECT_EQ(done_.exit_code, 2) << dataset;
    EXPECT_THAT(done_.err, HasSubstr(std::string(message)));
    EXPECT_FALSE(exists("results"));
  }
}

TEST_F(OwnDataset, what_only_loading_shows_fails_the_cell) {
  const std::vector<std::pair<std::string_view, std::string_view>> mistakes{
      {"'mine:unsized'", "has no __len__; add it"},
      {"'mine:empty'", "is empty"},
      {"'mine:words'", "hold no tensors"},
      {"'mine:make', collate_fn: 'mine:as_text'",
       "make tensors of the samples in dataset.collate_fn"}};
  for (const auto& [dataset, message] : mistakes) {
    sweep(dataset);
    NEEDS_TORCH();
    EXPECT_EQ(done_.exit_code, 1) << dataset << done_.err;
    EXPECT_THAT(reason(), HasSubstr(std::string(message)));
    std::filesystem::remove_all(path("results"));
  }
}

TEST_F(OwnDataset, an_exception_in_a_worker_fails_the_cell_with_its_traceback) {
  sweep("'mine:make_sick', args: {what: fail}", "batch_size: 4, num_workers: 2");
  NEEDS_TORCH();
  EXPECT_EQ(done_.exit_code, 1);
  EXPECT_THAT(reason(), AllOf(StartsWith("ValueError: sample 30 is spoilt (in DataLoader worker"),
                              HasSubstr("in __getitem__"), HasSubstr("mine.py"),
                              Not(HasSubstr("feedrate_torch"))));
}

TEST_F(OwnDataset, an_exception_without_workers_does_so_too) {
  sweep("'mine:make_sick', args: {what: fail}");
  NEEDS_TORCH();
  EXPECT_THAT(reason(),
              AllOf(StartsWith("ValueError: sample 30 is spoilt\n"), HasSubstr("mine.py")));
}

TEST_F(OwnDataset, a_worker_that_dies_fails_the_cell_with_how) {
  sweep("'mine:make_sick', args: {what: die}", "batch_size: 4, num_workers: 2");
  NEEDS_TORCH();
  EXPECT_THAT(reason(), AllOf(HasSubstr("DataLoader worker"), HasSubstr("killed by signal")));
}

TEST_F(OwnDataset, a_child_that_dies_fails_the_cell_with_how) {
  sweep("'mine:make_sick', args: {what: leave}");
  NEEDS_TORCH();
  EXPECT_EQ(done_.exit_code, 1);
  EXPECT_THAT(reason(), StartsWith("the Python child exited with code 5"));
  std::filesystem::remove_all(path("results"));
  sweep("'mine:make_sick', args: {what: die}");
  EXPECT_THAT(reason(), StartsWith("the Python child was killed by signal 9 (Killed"));
}

TEST_F(OwnDataset, a_hang_is_told_with_the_place_where_it_hangs) {
  write("s.yaml", sweep_config("torch: 'mine:make_sick', args: {what: hang}"));
  std::string text = read("s.yaml");
  text.replace(text.find("repeats: 1"), 10, "repeats: 1, cell_timeout_s: 15");
  write("s.yaml", text);
  const Finished done = feedrate("sweep s.yaml --out results");
  has_torch_ = done.err.find("no Python that can") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_EQ(done.exit_code, 1);
  EXPECT_THAT(reason(), AllOf(StartsWith("took longer than measure.cell_timeout_s, 15"),
                              HasSubstr("in hang")));
}

TEST_F(OwnDataset, dataloaders_own_timeout_holds) {
  sweep("'mine:make_sick', args: {what: hang}", "batch_size: 4, num_workers: 2, timeout: 1");
  NEEDS_TORCH();
  EXPECT_THAT(reason(), HasSubstr("DataLoader timed out after 1"));
}

TEST_F(OwnDataset, warnings_become_doubts_and_each_is_told_once) {
  sweep("'mine:make_sick', args: {what: complain}", "batch_size: 4, num_workers: [0, 1]",
        "--repeats 2");
  NEEDS_TORCH();
  EXPECT_EQ(done_.exit_code, 0) << done_.err;
  EXPECT_THAT(results().environment.doubts,
              Contains("PyTorch warned: UserWarning: sample 30 is odd").Times(1));
}

TEST_F(OwnDataset, the_other_engine_is_skipped) {
  write("s.yaml", sweep_config("torch: 'mine:make'") + "engine: [native, torch]\n");
  const Finished done = feedrate("plan s.yaml");
  has_torch_ = done.err.find("no Python that can import torch") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("skipped: dataset.torch: only the PyTorch engine"));
}

TEST_F(OwnDataset, ctrl_c_leaves_no_process) {
  write("mine.py", std::string(kMineModule) +
                       "def hang():\n"
                       "    open('worker.pid.tmp', 'w').write(str(os.getpid()))\n"
                       "    os.rename('worker.pid.tmp', 'worker.pid')\n"
                       "    time.sleep(1000)\n");
  write("s.yaml", sweep_config("torch: 'mine:make_sick', args: {what: hang}",
                               "batch_size: 4, num_workers: 2"));
  FeedrateChild child("sweep s.yaml --out results", setup());
  const bool hangs = child.wait_until([&] { return exists("worker.pid"); });
  if (hangs) child.send(SIGINT);
  const Finished done = child.wait();
  has_torch_ = done.err.find("no Python that can") == std::string::npos;
  NEEDS_TORCH();
  EXPECT_EQ(done.exit_code, 130);
  const pid_t worker = std::stoi(read("worker.pid"));
  // A zombie that its new parent has not waited for is gone as well.
  const auto gone = [&] {
    std::ifstream file(fmt::format("/proc/{}/stat", worker));
    std::string id, name, state;
    return !(file >> id >> name >> state) || state == "Z";
  };
  while (!gone()) {
  }
  EXPECT_TRUE(results().interrupted);
}

}  // namespace
}  // namespace feedrate::testing
