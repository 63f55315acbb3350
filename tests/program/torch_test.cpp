// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <optional>

#include "core/host/storage.h"
#include "tests/program/torch_sweep.h"
#include "tests/support/fake_python.h"
#include "tests/support/fake_torch.h"

namespace feedrate::testing {
namespace {

using TorchEngine = TorchSweep;

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
    write("s.yaml", with_engine("torch", sweep_config("path: ds")));
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

// The engine depends on what is installed, and the table names the reason.
TEST_F(WithoutTorch, a_sweep_that_names_no_engine_measures_with_the_native_loader) {
  const FakePython python("echo \"ModuleNotFoundError: No module named 'torch'\" >&2; exit 1");
  ::setenv("FEEDRATE_PYTHON", python.path().c_str(), 1);
  write("s.yaml", with_engine("auto", sweep_config("path: ds")));
  make_images();
  EXPECT_THAT(succeeds("sweep s.yaml --out results").out,
              AllOf(HasSubstr("feedrate's native loader (engine: auto; no Python that"),
                    HasSubstr("engine=native")));
  // torch may be installed before the run is resumed
  ::unsetenv("FEEDRATE_PYTHON");
  prepare("sweep --resume results --repeats +1");
  EXPECT_EQ(cells_with(load_run(path("results")), "engine", "torch").size(), 0U);
}

TEST_F(TorchEngine, measures_a_sweep_that_names_no_engine) {
  make_images();
  write("s.yaml", with_engine("auto", sweep_config("path: ds")));
  const Finished done = succeeds("sweep s.yaml --out results");
  REQUIRE_TORCH(done.out.find("no Python that can import torch") == std::string::npos);
  EXPECT_EQ(cells_with(results(), "engine", "torch").size(), 1U);
  EXPECT_THAT(done.out, HasSubstr("DataLoader (engine: auto; torch "));
}

TEST_F(TorchEngine, does_not_measure_where_it_lacks_settings) {
  make_images();
  write("s.yaml", with_engine("auto", sweep_config("path: ds", "batch_size: 4, num_workers: 1")));
  const Finished done = succeeds("sweep s.yaml --axis cuda_graph=false,true --out results");
  EXPECT_EQ(cells_with(results(), "engine", "torch").size(), 0U);
  EXPECT_THAT(done.out, HasSubstr("1 of 2 cells have settings that PyTorch lacks"));
}

struct WithoutLmdb : WithoutTorch {
  WithoutLmdb() {
    torch_.add("PIL", "");
    torch_.add("torchvision", "");
    torch_.add("lmdb", "raise ImportError('no lmdb')");
    ::setenv("FEEDRATE_PYTHON", FakeTorch::kPython, 1);
  }

  FakeTorch torch_;
};

TEST_F(WithoutLmdb, a_sweep_skips_the_cells_that_lack_a_module) {
  write("s.yaml", with_engine("[native, torch]", sweep_config("path: ds, format: lmdb")));
  make_images();
  prepare("sweep s.yaml --out results");
  const std::vector<CellResult> cells = load_run(path("results")).cells;
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].outcome, Outcome::kOk) << cells[0].reason;
  EXPECT_EQ(cells[1].outcome, Outcome::kSkipped);
  EXPECT_EQ(cells[1].reason,
            "format lmdb: /usr/bin/python3 cannot import lmdb: no lmdb; /usr/bin/python3 -m pip "
            "install lmdb");
}

TEST_F(TorchEngine, reports_the_disk_reads_of_cold_data) {
  if (read_storage_info(path(".")).file_system == "tmpfs") {
    GTEST_SKIP() << "tmpfs keeps its files in memory: " << path(".");
  }
  write(
      "s.yaml",
      with_engine("torch",
                  sweep_config("path: ds, make: {preset: cifar10-like, count: 300}, cache: cold")));
  const Finished done = feedrate("sweep s.yaml --out results");
  REQUIRE_TORCH_EXIT(done, 0);
  EXPECT_GT(*find_metric(results().cells.at(0).metrics, "storage_read_bytes"), 0.0);
}

TEST_F(TorchEngine, runs_with_the_native_one_with_the_same_columns) {
  make_images();
  write("s.yaml", with_engine("[native, torch]",
                              sweep_config("path: ds", "batch_size: 4, num_workers: [0, 2]")));
  const Finished done = feedrate("sweep s.yaml --out results --repeats 3");
  REQUIRE_TORCH_EXIT(done, 0);
  for (const CellResult& cell : results().cells) {
    EXPECT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    for (const char* tag : {"loading_time", "training_time", "first_batch_time", "epoch_end_time",
                            "samples_per_second", "au", "memory", "cpu_time", "compute_time_device",
                            "batches_per_epoch", "cached_before"}) {
      EXPECT_NE(find_metric(cell.metrics, tag), nullptr) << tag;
    }
    EXPECT_NEAR(least_of_repeats(cell, "compute_time_device"), 1e-3, 5e-5);
    EXPECT_DOUBLE_EQ(*find_metric(cell.metrics, "batches_per_epoch"), 4);
  }
}

// A quarter of the bytes is copied, and a kernel makes the floats. The device is so slow that a
// late host between two events does not matter.
TEST_F(TorchEngine, leaves_normalisation_to_the_device_where_it_is_asked_to) {
  prepare("data make ds --count 256");
  write("slow.yaml", device_preset(0.03, 0.1));
  write("s.yaml", with_engine("torch", sweep_config("path: ds")) +
                      "pipeline: {transforms: [to_tensor, normalize: {mean: [0.5, 0.5, 0.5], "
                      "std: [0.2, 0.2, 0.2]}]}\n");
  const Finished done = feedrate(
      "sweep s.yaml --out results --axis batch_size=256 --device sim:slow.yaml "
      "--axis normalize_on=cpu,gpu,wire_dtype=float32,uint8");
  REQUIRE_TORCH_EXIT(done, 0);
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
      with_engine("[native, torch]",
                  sweep_config("path: ds, make: {preset: tokens-like, count: 64, format: tfrecord}",
                               "batch_size: 4, num_workers: [0, 1], pin_memory: true, "
                               "group_by_length: true")) +
          "pipeline: {transforms: [tokens: 300], padding: longest}\n");
  const Finished done = feedrate("sweep s.yaml --out results --steps 16");
  REQUIRE_TORCH_EXIT(done, 0);
  const double* native = nullptr;
  const RunResult run = results();
  for (const CellResult& cell : run.cells) {
    ASSERT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    const double* const padding = find_metric(cell.metrics, "padding_share");
    ASSERT_NE(padding, nullptr);
    EXPECT_NE(find_metric(cell.metrics, "tokens_per_second"), nullptr);
    if (native == nullptr) native = padding;
    EXPECT_NEAR(*padding, *native, 0.05);  // each engine draws its own windows
  }
}

// The labels, 2 of 18 words of a sample, cost no work.
TEST_F(TorchEngine, trains_on_tokens_for_as_long_as_the_native_one) {
  write(
      "s.yaml",
      with_engine("[native, torch]",
                  sweep_config("path: ds, make: {preset: tokens-like, count: 64, format: tfrecord}",
                               "batch_size: 4")) +
          "pipeline: {transforms: [tokens: 16], padding: max_length}\n");
  const Finished done =
      feedrate("sweep s.yaml --out results --steps 8 --repeats 3 --axis step_ms=20");
  REQUIRE_TORCH_EXIT(done, 0);
  for (const CellResult& cell : results().cells) {
    EXPECT_NEAR(least_of_repeats(cell, "compute_time_device"), 0.020, 0.0005) << cell.reason;
  }
}

TEST_F(TorchEngine, takes_no_images_for_tokens) {
  write("s.yaml",
        with_engine("torch", sweep_config("path: ds, make: {preset: cifar10-like, count: 8, "
                                          "format: tar}",
                                          "batch_size: 4")) +
            "pipeline: {transforms: [tokens: 300]}\n");
  const Finished done = feedrate("sweep s.yaml --out results --steps 4");
  REQUIRE_TORCH(has_torch(done));
  EXPECT_THAT(done.err, HasSubstr("ds: holds images; tokens are opaque bytes"));
}

}  // namespace
}  // namespace feedrate::testing
