// SPDX-License-Identifier: Apache-2.0
#include "training/in_place_model.h"

#include <gtest/gtest.h>

#include "tests/training/made_script.h"
#include "training/results.h"

namespace feedrate::testing {
namespace {

// Milliseconds, with `own` workers.
struct Steps {
  std::size_t own = 0;
  double loading = 0.0;
  double training = 0.0;
  double batch = 0.0;  // In a worker.
  double batch_cpu = 0.0;
};

class Model {
 public:
  explicit Model(const Steps& steps) : script_(made_loader(steps.own), 2) {
    script_.steps(40, steps.loading, steps.training);
    const ScriptFetch fetch{kLoader, 0, from_seconds(steps.batch / 1e3),
                            from_seconds(steps.batch_cpu / 1e3)};
    if (steps.own > 0) script_.watch.add(kConnection, ScriptFetches{fetch});
    measure(steps.own, steps.loading + steps.training);
  }

  void measure(std::size_t workers, double step) {
    CellResult& cell = measured_.emplace_back();
    cell.settings = settings_of(made_loader(workers));
    cell.outcome = Outcome::kOk;
    cell.metrics = {{"step_time", step / 1e3}};
  }

  // Milliseconds of a step.
  [[nodiscard]] double predict(std::size_t workers) const {
    const std::vector<Candidate> candidates{{0, settings_of(made_loader(workers)), 0.0}};
    const InPlaceModel model(*script_.watch.main_loader());
    return 1e3 * model.predict(candidates, measured_).front()->step_time;
  }

 private:
  MadeScript script_;
  std::vector<CellResult> measured_;
};

TEST(InPlaceModel, divides_a_batch_among_the_workers) {
  const Model model({.loading = 50.0, .training = 10.0});
  EXPECT_NEAR(model.predict(0), 60.0, 0.1);
  EXPECT_NEAR(model.predict(1), 50.0, 0.1);
}

TEST(InPlaceModel, lets_workers_wait_beside_each_other_however_few_the_cpus) {
  const Model model({.own = 2, .loading = 10.0, .training = 10.0, .batch = 40.0, .batch_cpu = 2.0});
  EXPECT_NEAR(model.predict(2), 20.0, 0.5);
  EXPECT_NEAR(model.predict(4), 10.5, 0.5);
}

TEST(InPlaceModel, shares_the_cpus_among_workers_that_compute) {
  const Model model(
      {.own = 2, .loading = 10.0, .training = 10.0, .batch = 40.0, .batch_cpu = 30.0});
  EXPECT_NEAR(model.predict(2), 20.0, 0.5) << "30 ms and the training's 10, on two CPUs";
  EXPECT_NEAR(model.predict(4), 20.0, 0.5);
}

// Workers keep up, and yet each step waits: to take the batch from them is what takes its time.
TEST(InPlaceModel, learns_what_a_batch_of_workers_costs_the_training) {
  const Model model({.own = 4, .loading = 6.0, .training = 15.0, .batch = 4.0, .batch_cpu = 4.0});
  EXPECT_NEAR(model.predict(1), 21.0, 0.5);
  EXPECT_NEAR(model.predict(0), 19.0, 0.5);
}

TEST(InPlaceModel, learns_whether_the_training_needs_a_cpu) {
  Model model({.own = 1, .loading = 40.0, .training = 20.0, .batch = 60.0, .batch_cpu = 60.0});
  EXPECT_NEAR(model.predict(2), 40.0, 1.0);
  model.measure(2, 30.0);
  EXPECT_NEAR(model.predict(2), 30.0, 1.0);
}

}  // namespace
}  // namespace feedrate::testing
