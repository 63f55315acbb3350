// SPDX-License-Identifier: Apache-2.0
// sweep --resume, --repeats, --retry-failed: a resumed sweep keeps all measurements and repeats
// none.
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <random>
#include <thread>

#include "analysis/report/csv.h"
#include "analysis/report/load_run.h"
#include "tests/program/workspace.h"

namespace feedrate::testing {
namespace {

class Resume : public Workspace {
 protected:
  // Six cells of two starts; a start takes some tens of milliseconds.
  void prepare_sweep() const {
    make_images();
    write("s.yaml", sweep_config("path: ds", "batch_size: [2, 4], num_workers: [0, 1, 2]"));
  }
  [[nodiscard]] RunResult results() const { return load_run(path("r")); }
};

TEST_F(Resume, a_complete_run_lacks_nothing) {
  prepare_sweep();
  prepare("sweep s.yaml --out r --repeats 2");
  const Finished done = succeeds("sweep --resume r");
  EXPECT_THAT(done.err,
              HasSubstr("r: 0 repeats are missing; --repeats +3 adds three to each cell"));
  EXPECT_THAT(done.err, Not(HasSubstr("[1/")));
  EXPECT_EQ(starts_of(results()), 12U);
}

TEST_F(Resume, repeat_adds_starts_to_every_cell_and_keeps_those_that_are_there) {
  prepare_sweep();
  prepare("sweep s.yaml --out r");
  const RunResult before = results();
  prepare("sweep --resume r --repeats +2");
  const RunResult after = results();
  ASSERT_EQ(after.cells.size(), 6U);
  for (std::size_t i = 0; i < 6; ++i) {
    ASSERT_EQ(after.cells[i].repeats.size(), 3U);
    EXPECT_EQ(after.cells[i].repeats[0].series, before.cells[i].repeats[0].series);
    EXPECT_NE(find_metric(after.cells[i].metrics, "samples_per_second_low"), nullptr);
  }
  EXPECT_THAT(read("r/table.md"), Not(HasSubstr("One repeat only")));
}

TEST_F(Resume, removes_the_recommendation_of_an_earlier_tune) {
  prepare_sweep();
  prepare("sweep s.yaml --out r");
  write("r/recommendation.json",
        fmt::format(R"({{"started_at": "{}", "confidence": 0.97, "confidence_asked": 0.95, )"
                    R"("claim": "sure", "text": "it", "code": "", "recommended": )"
                    R"({{"settings": {{}}}}}})",
                    results().started_at));
  ASSERT_TRUE(results().recommended);
  prepare("sweep --resume r --repeats +1");
  EXPECT_FALSE(exists("r/recommendation.json"));
}

TEST_F(Resume, added_repeats_are_still_measured_after_an_interruption) {
  prepare_sweep();
  prepare("sweep s.yaml --out r");
  FeedrateChild child("sweep --resume r --repeats +1", setup());
  ASSERT_TRUE(child.wait_for_error_text("[1/6] "));
  child.send(SIGKILL);
  static_cast<void>(child.wait());
  prepare("sweep --resume r");
  for (const CellResult& cell : results().cells) EXPECT_EQ(cell.repeats.size(), 2U);
}

TEST_F(Resume, the_profiles_of_cells_that_are_complete_stay) {
  prepare_sweep();
  FeedrateChild child("sweep s.yaml --profile --out r", setup());
  ASSERT_TRUE(child.wait_for_error_text("[3/6] "));
  child.send(SIGKILL);
  static_cast<void>(child.wait());
  prepare("sweep --resume r --profile");
  const std::string text = read("r/profile.txt");
  for (int cell = 0; cell < 6; ++cell) {
    EXPECT_THAT(text, HasSubstr(fmt::format("== cell {}: ", cell)));
  }
}

TEST_F(Resume, takes_the_original_command_line_again) {
  prepare_sweep();
  prepare("sweep s.yaml --axis batch_size=4 --steps 3 --out r");
  prepare("sweep s.yaml --axis batch_size=4 --steps 3 --resume r");
  EXPECT_EQ(starts_of(results()), 3U);
}

TEST_F(Resume, refuses_another_plan_and_leaves_the_results_alone) {
  prepare_sweep();
  prepare("sweep s.yaml --out r");
  const std::string before = read("r/run.json");
  refuses("sweep --resume r --axis num_workers=0,1",
          {"r: the plan has changed: it had 6 cells and now has 4"});
  EXPECT_EQ(read("r/run.json"), before);
}

TEST_F(Resume, refuses_a_configuration_that_was_changed) {
  prepare_sweep();
  prepare("sweep s.yaml --out r");
  write("s.yaml", read("s.yaml") + "# Changed.\n");
  refuses("sweep s.yaml --resume r", {"s.yaml: differs from what r was measured with"});
}

TEST_F(Resume, refuses_another_dataset_unless_told_to_mix) {
  prepare_sweep();
  prepare("sweep s.yaml --out r");
  std::filesystem::remove_all(path("ds"));
  prepare("data make ds --count 20");
  refuses("sweep --resume r --repeats +1",
          {"r: the dataset was \"16.0 records", "and is \"20.0 records"});
  prepare("sweep --resume r --repeats +1 --mix");
  EXPECT_THAT(read("r/table.md"), HasSubstr("Some repeats were measured with the dataset"));
}

TEST_F(Resume, refuses_a_folder_without_results_and_does_not_make_one) {
  refuses("sweep --resume r", {"r: has no run.json to resume"});
  EXPECT_FALSE(exists("r"));
}

TEST_F(Resume, tries_failed_cells_again_only_when_asked) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: [2, 4]"));
  std::filesystem::path file;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path("ds"))) {
    if (entry.path().extension() == ".png") file = entry.path();
  }
  const std::string sound = read_file(file);
  write_file(file, std::string(sound.size(), 'x'));
  EXPECT_EQ(feedrate("sweep s.yaml --out r").exit_code, 1);
  write_file(file, sound);
  EXPECT_THAT(feedrate("sweep --resume r").err, HasSubstr("2 cells have failed"));
  EXPECT_EQ(starts_of(results()), 0U);
  prepare("sweep --resume r --retry-failed");
  EXPECT_EQ(starts_of(results()), 2U);
}

// The process dies whenever it measures this cell.
TEST_F(Resume, stops_retrying_a_cell_that_kills_feedrate) {
  make_images();
  write("s.yaml", sweep_config("path: ds", "batch_size: [2, 4]"));
  std::size_t times = 0;
  const auto kill_in_first_cell = [&](std::string_view line) {
    FeedrateChild child(line, setup());
    ++times;
    const auto has_begun = [&] {
      const std::string begun = exists("r/run.begun") ? read("r/run.begun") : std::string();
      return static_cast<std::size_t>(std::count(begun.begin(), begun.end(), '\n')) == times;
    };
    ASSERT_TRUE(child.wait_until(has_begun));
    child.send(SIGKILL);
    static_cast<void>(child.wait());
  };
  const std::string slow = " --axis step_ms=200";
  kill_in_first_cell("sweep s.yaml --out r" + slow);
  ASSERT_EQ(starts_of(results()), 0U);
  kill_in_first_cell("sweep --resume r");
  ASSERT_EQ(starts_of(results()), 0U);
  EXPECT_EQ(feedrate("sweep --resume r").exit_code, 1);
  const RunResult run = results();
  EXPECT_EQ(starts_of(run), 1U);
  EXPECT_EQ(std::count_if(run.cells.begin(), run.cells.end(),
                          [](const CellResult& cell) {
                            return cell.outcome == Outcome::kFailed &&
                                   cell.reason.find("killed or crashed 2 times") !=
                                       std::string::npos;
                          }),
            1);
  prepare("sweep --resume r --retry-failed");
  EXPECT_EQ(starts_of(results()), 2U);
  EXPECT_FALSE(exists("r/run.begun"));
}

void expect_kept(const RunResult& before, const RunResult& after) {
  ASSERT_EQ(after.cells.size(), before.cells.size());
  for (std::size_t i = 0; i < before.cells.size(); ++i) {
    const std::vector<Repeat>& had = before.cells[i].repeats;
    const std::vector<Repeat>& has = after.cells[i].repeats;
    ASSERT_LE(had.size(), has.size()) << "cell " << i;
    for (std::size_t k = 0; k < had.size(); ++k) EXPECT_EQ(has[k].series, had[k].series);
  }
}

class Killed : public Resume {
 protected:
  // Kills the program after a random number of starts and a random time.
  Finished kill_somewhere(const std::string& line) {
    FeedrateChild child(line, setup());
    const std::size_t starts = random_() % 4;
    const bool is_running =
        child.wait_until([&] { return announced(child.error_text()) >= starts; });
    if (is_running) std::this_thread::sleep_for(std::chrono::microseconds(random_() % 60'000));
    child.send(SIGKILL);
    return child.wait();
  }

  void seed() {
    const char* given = std::getenv("FEEDRATE_TEST_SEED");
    const auto seed = given ? static_cast<unsigned>(std::atoi(given)) : std::random_device()();
    std::cout << "to do the same again: FEEDRATE_TEST_SEED=" << seed << '\n';
    random_.seed(seed);
  }

 private:
  std::mt19937 random_;
};

TEST_F(Killed, at_fifty_random_moments_a_sweep_loses_and_repeats_no_start) {
  seed();
  prepare_sweep();
  const std::string begin = "sweep s.yaml --repeats 24 --out r";
  RunResult known;
  int in_the_middle = 0;
  for (int kill = 0; kill < 50; ++kill) {
    const bool has_begun = exists("r/run.json") && !read("r/run.json").empty();
    const Finished done = kill_somewhere(has_begun ? "sweep --resume r" : begin);
    if (!exists("r/run.json") || read("r/run.json").empty()) continue;
    const RunResult now = results();
    if (known.cells.empty()) known.cells.resize(now.cells.size());
    expect_kept(known, now);
    const std::size_t told = announced(done.err);
    EXPECT_GE(starts_of(now), starts_of(known) + told) << "a finished start is lost";
    EXPECT_LE(starts_of(now), starts_of(known) + told + 1) << "one was made in secret";
    if (starts_of(now) > 0 && starts_of(now) < 144) ++in_the_middle;
    known = now;
  }
  EXPECT_GT(in_the_middle, 5);
  prepare("sweep --resume r --retry-failed");  // two kills in a cell make it fail
  const RunResult after = results();
  expect_kept(known, after);
  for (const CellResult& cell : after.cells) EXPECT_EQ(cell.repeats.size(), 24U);
  EXPECT_FALSE(after.interrupted);
  EXPECT_EQ(read_cells_csv(path("r/cells.csv")).cells.size(), 6U);
  EXPECT_EQ(listing("r"), (std::vector<std::string>{"cells.csv", "run.json", "table.md"}));
}

}  // namespace
}  // namespace feedrate::testing
