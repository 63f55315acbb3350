// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <set>

#include <fmt/format.h>
#include <signal.h>
#include <sys/types.h>

#include "tests/program/torch_sweep.h"

namespace feedrate::testing {
namespace {

using OwnDataset = TorchSweep;

TEST_F(OwnDataset, is_swept_by_one_command) {
  sweep("'mine:make'", "batch_size: 4, num_workers: [0, 1], pin_memory: true, shuffle: true");
  REQUIRE_TORCH_EXIT(done_, 0);
  EXPECT_THAT(results().cells, SizeIs(2));
  // Two pinned tensors have at least a page each.
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
    REQUIRE_TORCH_EXIT(done, 0);
    const RunResult run = results();
    EXPECT_EQ(run.cells.size(), 3);
    const CellResult& cell = run.cells.front();
    for (const char* tag : {"trainer_limit", "loader_limit", "stall", "headspace"}) {
      EXPECT_NE(find_metric(cell.metrics, tag), nullptr) << tag;
    }
    EXPECT_NE(cell.bottleneck, "");
    EXPECT_LE(*find_metric(cell.metrics, "trainer_limit"), 4000.0);
    std::filesystem::remove_all(path("results"));
  }
}

TEST_F(OwnDataset, makes_its_batches_itself) {
  write("mine.py", std::string(kMineModule) +
                       "class Batches(Numbers):\n"
                       "    def __getitem__(self, index):\n"
                       "        return torch.full((16, 8), float(index))\n");
  std::string text = sweep_config("torch: 'mine:Batches'", "batch_size: null, num_workers: 1");
  const std::string_view step = "step_ms: 1";
  text.replace(text.find(step), step.size(), "step_ms: 4, reference_batch: 8");
  write("s.yaml", text);
  done_ = feedrate("sweep s.yaml --out results --steps 8 --repeats 3");
  REQUIRE_TORCH_EXIT(done_, 0);
  const CellResult cell = results().cells.at(0);
  EXPECT_EQ(text_of(cell.settings, "batch_size"), "null");
  EXPECT_NEAR(least_of_repeats(cell, "compute_time_device"), 8e-3, 1e-5);
  EXPECT_NEAR(
      *find_metric(cell.metrics, "samples_per_second") * *find_metric(cell.metrics, "step_time"),
      16.0, 1.0);
  EXPECT_THAT(done_.out, HasSubstr("batch_size=None"));
  refuses("tune s.yaml --out tuned --budget 20s", {"batch_size null"});
}

// A batch takes 120 ms.
TEST_F(OwnDataset, a_tune_gives_slow_steps_a_share_of_its_time) {
  write("mine.py", std::string(kMineModule) +
                       "class Slow(Numbers):\n"
                       "    def __getitem__(self, index):\n"
                       "        time.sleep(0.03)\n"
                       "        return super().__getitem__(index)\n");
  std::string text = sweep_config("torch: 'mine:Slow'", "batch_size: 4, num_workers: [0, 3]");
  text.replace(text.find("steps: 4"), 8, "steps: 40");
  write("s.yaml", text);
  std::set<std::string> measured;
  // A busy machine may use up the budget first; the next run continues.
  for (int run = 0; run < 5 && measured.size() < 2; ++run) {
    done_ = feedrate("tune s.yaml --out results --budget 20s");
    REQUIRE_TORCH(has_torch(done_));
    if (done_.exit_code != 0) {
      ASSERT_THAT(done_.out, HasSubstr("the probes are not complete")) << done_.err;
      continue;
    }
    for (const CellResult& cell : results().cells) {
      if (cell.repeats.empty() || text_of(cell.settings, "loader") == "cached") continue;
      const std::string workers = text_of(cell.settings, "num_workers");
      measured.insert(workers);
      for (const Repeat& repeat : cell.repeats) {
        const auto steps = static_cast<int>(*find_metric(repeat.metrics, "steps"));
        EXPECT_GE(steps, 10);
        EXPECT_LT(steps, 40);
        EXPECT_EQ(steps % std::max(1, std::stoi(workers)), 0);
      }
    }
  }
  EXPECT_THAT(measured, IsSupersetOf({"0", "3"})) << done_.err;
}

TEST_F(OwnDataset, the_example_that_comes_with_feedrate_runs) {
  const std::filesystem::path configs = std::filesystem::path(FEEDRATE_SOURCE_DIR) / "configs";
  write("own-dataset.yaml", read_file(configs / "own-dataset.yaml"));
  write("own_dataset.py", read_file(configs / "own_dataset.py"));
  const Finished done = feedrate(
      "sweep own-dataset.yaml --out results --device sim:a100-pcie4 --steps 2 --repeats 1 --axis "
      "num_workers=0,1");
  REQUIRE_TORCH_EXIT(done, 0);
}

TEST_F(OwnDataset, the_example_of_a_step_runs_on_the_cpu) {
  const std::filesystem::path configs = std::filesystem::path(FEEDRATE_SOURCE_DIR) / "configs";
  write("own-step.yaml", read_file(configs / "own-step.yaml"));
  write("own_step.py", read_file(configs / "own_step.py"));
  const Finished done = feedrate(
      "sweep own-step.yaml --out results --device cpu --steps 4 --repeats 1 --axis "
      "num_workers=0,1");
  REQUIRE_TORCH_EXIT(done, 0);
  const RunResult run = results();
  ASSERT_THAT(run.cells, SizeIs(4));  // two cells, and the reference cells of step and loader
  EXPECT_NE(find_metric(run.cells.at(1).metrics, "trainer_limit"), nullptr);
}

TEST_F(OwnDataset, has_variants_that_are_skipped_or_fail_by_themselves) {
  write("mine.py", std::string(kMineModule) + "def make_lance():\n    import no_such_package\n");
  write("s.yaml",
        sweep_config("variants: {good: {torch: 'mine:make'}, lacking: {torch: 'mine:make_lance'}, "
                     "bad: {torch: 'mine:raising'}}",
                     "batch_size: 4"));
  done_ = feedrate("sweep s.yaml --out results");
  REQUIRE_TORCH_EXIT(done_, 1);
  const RunResult run = results();
  ASSERT_THAT(run.cells, SizeIs(3));
  EXPECT_EQ(run.cells[0].outcome, Outcome::kOk) << run.cells[0].reason;
  EXPECT_EQ(run.cells[1].outcome, Outcome::kSkipped);
  EXPECT_THAT(run.cells[1].reason,
              AllOf(StartsWith("variant lacking: "), HasSubstr("pip install no_such_package")));
  EXPECT_EQ(run.cells[2].outcome, Outcome::kFailed);
  EXPECT_THAT(run.cells[2].reason, HasSubstr("OSError: no such disk"));
}

TEST_F(OwnDataset, trains_by_a_step_of_the_users_own) {
  write("mine.py", std::string(kMineModule) +
                       "def make_step(device):\n"
                       "    assert device == torch.device('cpu')\n"
                       "    def step(batch):\n"
                       "        images, labels = batch\n"
                       "        assert type(batch) is list and labels.shape == (4,)\n"
                       "        time.sleep(0.005)\n"
                       "    return step\n"
                       "def make_none(device): pass\n"
                       "def make_sick_step(device): return lambda batch: batch.no_such_name\n");
  std::string text = sweep_config("torch: 'mine:make'", "batch_size: 4, pin_memory: true");
  const std::string_view burn = "{kind: burn, step_ms: 1}";
  text.replace(text.find(burn), burn.size(),
               "{torch: ['mine:make_step', 'mine:make_none', 'mine:make_sick_step', "
               "'no_such_package:step']}");
  write("s.yaml", text);
  done_ = feedrate("sweep s.yaml --out results --device cpu");
  REQUIRE_TORCH_EXIT(done_, 1);
  const RunResult run = results();
  EXPECT_FALSE(run.simulated);
  ASSERT_THAT(run.cells, SizeIs(4));
  ASSERT_EQ(run.cells[0].outcome, Outcome::kOk) << run.cells[0].reason;
  EXPECT_GE(*find_metric(run.cells[0].metrics, "training_time"), 0.005);
  EXPECT_EQ(find_metric(run.cells[0].metrics, "au"), nullptr);
  EXPECT_EQ(text_of(run.cells[0].settings, "pin_memory"), "false");
  EXPECT_THAT(run.cells[1].reason,
              AllOf(HasSubstr("mine:make_none returned a NoneType"), HasSubstr("trainer.torch")));
  EXPECT_THAT(run.cells[2].reason, HasSubstr("no_such_name"));
  EXPECT_EQ(run.cells[3].outcome, Outcome::kSkipped);
  EXPECT_THAT(run.cells[3].reason,
              AllOf(HasSubstr("trainer.torch no_such_package:step"), HasSubstr("install")));
}

TEST_F(OwnDataset, batches_are_sent_to_the_device_ahead) {
  sweep("'mine:make'", "batch_size: 4, pin_memory: true",
        "--axis non_blocking=true --axis device_prefetch=0,1,2 --steps 8 --repeats 3");
  REQUIRE_TORCH_EXIT(done_, 0);
  const RunResult run = results();
  ASSERT_THAT(run.cells, SizeIs(3));
  for (const CellResult& cell : run.cells) {
    ASSERT_EQ(cell.outcome, Outcome::kOk) << cell.reason;
    // each kept step has its kernel of 1 ms in the window
    EXPECT_NEAR(least_of_repeats(cell, "compute_time_device"), 1e-3, 1e-5);
  }
}

TEST_F(OwnDataset, workers_have_the_threads_of_the_cell) {
  write("mine.py",
        std::string(kMineModule) +
            "class Threads(Numbers):\n"
            "    def __getitem__(self, index):\n"
            "        if torch.get_num_threads() != 3: raise ValueError(torch.get_num_threads())\n"
            "        return super().__getitem__(index)\n");
  sweep("'mine:Threads'", "batch_size: 4, num_workers: 1, worker_threads: [0, 3]");
  REQUIRE_TORCH_EXIT(done_, 1);
  EXPECT_THAT(results().cells.at(0).reason, HasSubstr("ValueError: 1"));
  EXPECT_EQ(results().cells.at(1).outcome, Outcome::kOk) << results().cells.at(1).reason;
}

// Before CPython 3.13, the fork server searches only $PYTHONPATH.
TEST_F(OwnDataset, a_fork_server_finds_modules_beside_the_configuration) {
  std::filesystem::create_directories(path("beside"));
  write("beside/heavy.py", "import os\nopen(f'imported-by-{os.getpid()}', 'w')\n");
  write("beside/s.yaml",
        sweep_config("torch: 'mine:make'",
                     "batch_size: 4, num_workers: 2, multiprocessing_context: forkserver, "
                     "forkserver_preload: [[heavy, torch]]"));
  const Finished done = feedrate("sweep beside/s.yaml --out results");
  REQUIRE_TORCH_EXIT(done, 0);
  std::size_t imports = 0;
  for (const auto& file : std::filesystem::directory_iterator(path("."))) {
    imports += file.path().filename().string().starts_with("imported-by-");
  }
  EXPECT_EQ(imports, 1U);
}

TEST_F(OwnDataset, is_loaded_in_the_environment_of_the_cell) {
  write("mine.py",
        std::string(kMineModule) +
            "class Picky(Numbers):\n"
            "    def __getitem__(self, index):\n"
            "        if os.environ['OF_THE_CELL'] != '2': raise ValueError('of another')\n"
            "        return super().__getitem__(index)\n");
  sweep("'mine:Picky'", "batch_size: 4, num_workers: 1",
        "--axis environment=OF_THE_CELL=1,OF_THE_CELL=2");
  REQUIRE_TORCH_EXIT(done_, 1);
  EXPECT_THAT(results().cells.at(0).reason, HasSubstr("of another"));
  EXPECT_EQ(results().cells.at(1).outcome, Outcome::kOk) << results().cells.at(1).reason;
}

TEST_F(OwnDataset, is_loaded_by_children_of_a_large_parent) {
  sweep("'mine:make'", "batch_size: 4, num_workers: 1",
        "--repeats 3 --axis parent_ballast_bytes=0,200000000");
  REQUIRE_TORCH_EXIT(done_, 0);
  const RunResult run = results();
  const auto peak = [&](std::size_t cell) {  // sampled, so the highest is the most accurate
    double highest = 0.0;
    for (const Repeat& repeat : run.cells.at(cell).repeats) {
      highest = std::max(highest, *find_metric(repeat.metrics, "memory"));
    }
    return highest;
  };
  EXPECT_GE(peak(1), 1.5e8 + peak(0));
}

TEST_F(OwnDataset, is_loaded_by_loaders_of_the_user) {
  write("mine.py", std::string(kMineModule) +
                       "def load(dataset, batch_size, num_workers, **more):\n"
                       "    return [torch.ones(batch_size)] * 3\n");
  sweep("'mine:make'",
        "batch_size: 4, factory: [default, 'mine:load', 'torch.utils.data:DataLoader', "
        "'no_such_package:Loader'], num_workers: 1",
        "--axis trainer=discard");
  REQUIRE_TORCH_EXIT(done_, 0);
  const RunResult run = results();
  ASSERT_THAT(run.cells, SizeIs(4));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(run.cells[i].outcome, Outcome::kOk);
  EXPECT_THAT(run.cells[3].reason,
              AllOf(HasSubstr("loader.factory no_such_package:Loader"), HasSubstr("install")));
  // only the cell with DataLoader pays for its workers and start
  EXPECT_GT(*find_metric(run.cells[2].metrics, "first_batch_time"),
            *find_metric(run.cells[1].metrics, "first_batch_time"));
}

// Other callers than DataLoader's own modules query CUDA, too.
TEST_F(OwnDataset, another_dataloader_pins_without_a_gpu) {
  write("mine.py", std::string(kMineModule) +
                       "class Asking(torch.utils.data.DataLoader):\n"
                       "    def __iter__(self):\n"
                       "        torch.cuda.current_device()\n"
                       "        return super().__iter__()\n");
  write("loaders.py", "from mine import Asking\n");
  sweep("'mine:make'",
        "batch_size: 4, factory: 'loaders:Asking', pin_memory: true, num_workers: [0, 1]");
  REQUIRE_TORCH_EXIT(done_, 0);
  EXPECT_GT(*find_metric(results().cells.at(1).metrics, "pinned_memory"), 0.0);
}

// With 10 batches per epoch, an epoch begins within the window of 20 steps.
TEST_F(OwnDataset, that_is_iterable_may_end_within_the_window_with_a_warning) {
  sweep("'mine:Stream'", "batch_size: 4, num_workers: 1, persistent_workers: true", "--steps 20");
  REQUIRE_TORCH_EXIT(done_, 0);
  EXPECT_THAT(results().environment.warnings, Contains(HasSubstr("epochs began within")));
  EXPECT_EQ(find_metric(results().cells.at(0).metrics, "first_batch_time"), nullptr);
  EXPECT_NE(find_metric(results().cells.at(0).metrics, "first_batch_time_cold"), nullptr);
}

// tests/python/own_dataset_test.py tests the other mistakes.
TEST_F(OwnDataset, a_mistake_ends_the_sweep_before_it_measures) {
  sweep("'mine:raising'");
  REQUIRE_TORCH_EXIT(done_, 2);
  EXPECT_THAT(done_.err, HasSubstr("dataset.torch: mine:raising() raised OSError: no such disk"));
  EXPECT_FALSE(exists("results"));
}

TEST_F(OwnDataset, an_exception_in_a_worker_fails_the_cell_with_its_traceback) {
  sweep("'mine:make_sick', args: {what: fail}", "batch_size: 4, num_workers: 2");
  REQUIRE_TORCH_EXIT(done_, 1);
  EXPECT_THAT(reason(), AllOf(StartsWith("ValueError: sample 30 is spoilt (in DataLoader worker"),
                              HasSubstr("in __getitem__"), HasSubstr("mine.py"),
                              Not(HasSubstr("child.py")), Not(HasSubstr("loading.py"))));
}

TEST_F(OwnDataset, a_hang_is_reported_with_its_stack) {
  write("s.yaml", sweep_config("torch: 'mine:make_sick', args: {what: hang}"));
  std::string text = read("s.yaml");
  text.replace(text.find("repeats: 1"), 10, "repeats: 1, cell_timeout_s: 15");
  write("s.yaml", text);
  for (int run = 0; run < 5; ++run) {  // the process has 0.3 s to answer, which may be too short
    const Finished done = feedrate("sweep s.yaml --force --out results");
    REQUIRE_TORCH_EXIT(done, 1);
    if (reason().find("in hang") != std::string::npos) break;
  }
  EXPECT_THAT(reason(), AllOf(StartsWith("took longer than measure.cell_timeout_s, 15"),
                              HasSubstr("in hang")));
}

TEST_F(OwnDataset, warnings_of_python_are_reported_once) {
  sweep("'mine:make_sick', args: {what: complain}", "batch_size: 4, num_workers: [0, 1]",
        "--repeats 2");
  REQUIRE_TORCH_EXIT(done_, 0);
  EXPECT_THAT(results().environment.warnings,
              Contains("PyTorch warned: UserWarning: sample 30 is odd").Times(1));
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
  REQUIRE_TORCH(has_torch(done));
  EXPECT_EQ(done.exit_code, 130);
  const pid_t worker = std::stoi(read("worker.pid"));
  // a zombie counts as gone
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
