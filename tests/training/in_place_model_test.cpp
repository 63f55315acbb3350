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
  std::size_t cpus = 2;
};

class Model {
 public:
  explicit Model(const Steps& steps) : script_(made_loader(steps.own), steps.cpus) {
    script_.steps(40, steps.loading, steps.training);
    const ScriptFetch fetch{kLoader, 0, from_seconds(steps.batch / 1e3),
                            from_seconds(steps.batch_cpu / 1e3)};
    if (steps.own > 0) script_.watch.add(kConnection, ScriptFetches{fetch});
    measure(steps.own, steps.loading + steps.training, steps.training);
  }

  void measure(std::size_t workers, double step, double training = 0.0, bool pin_memory = false) {
    CellResult& cell = measured_.emplace_back();
    cell.settings = settings(workers, pin_memory);
    cell.outcome = Outcome::kOk;
    cell.metrics = {{"step_time", step / 1e3}, {"training_time", training / 1e3}};
  }

  // Milliseconds of a step.
  [[nodiscard]] double predict(std::size_t workers, bool pin_memory = false) const {
    const std::vector<Candidate> candidates{{0, settings(workers, pin_memory), 0.0}};
    const InPlaceModel model(*script_.watch.main_loader());
    return 1e3 * model.predict(candidates, measured_).front()->step_time;
  }

 private:
  static Settings settings(std::size_t workers, bool pin_memory) {
    ScriptLoader loader = made_loader(workers);
    loader.pin_memory = pin_memory;
    return settings_of(loader);
  }

  MadeScript script_;
  std::vector<CellResult> measured_;
};

TEST(InPlaceModel, divides_a_batch_among_the_workers) {
  const Model model({.loading = 50.0, .training = 10.0});
  EXPECT_NEAR(model.predict(0), 60.0, 0.1);
  EXPECT_NEAR(model.predict(1), 50.0, 0.1);
}

TEST(InPlaceModel, lets_workers_wait_concurrently_with_few_cpus) {
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

// Workers keep up, and yet each step waits: receiving the batch takes its time.
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

TEST(InPlaceModel, expects_pin_memory_to_save_pageable_copies) {
  MadeScript script(made_loader(4), 16);
  script.steps(40, 40.0, 40.0);
  script.watch.add(kConnection,
                   ScriptFetches{{kLoader, 0, from_seconds(0.32), from_seconds(0.32)}});
  const auto saved = [&](bool is_pinned) {
    script.watch.add(kConnection,
                     ScriptCopies{kLoader, {{"", is_pinned, false, 20, 1'100'000'000}}});
    ScriptLoader pinned = made_loader(16);
    pinned.pin_memory = true;
    const std::vector<Candidate> all{{0, settings_of(made_loader(16)), 0.0},
                                     {1, settings_of(pinned), 0.0}};
    const auto predicted = InPlaceModel(*script.watch.main_loader()).predict(all, {});
    return 1e3 * (predicted[0]->step_time - predicted[1]->step_time);
  };
  EXPECT_NEAR(saved(false), 10.0, 0.5) << "55 MB a step";
  EXPECT_NEAR(saved(true), 0.0, 0.5);
}

// A faster training makes more workers useful.
TEST(InPlaceModel, learns_what_pin_memory_saves_the_training) {
  Model model({.own = 4,
               .loading = 40.0,
               .training = 40.0,
               .batch = 320.0,
               .batch_cpu = 320.0,
               .cpus = 16});
  EXPECT_NEAR(model.predict(12, true), 40.0, 1.0);
  model.measure(8, 40.0, 25.0, true);
  EXPECT_NEAR(model.predict(12, true), 26.7, 1.0) << "320 ms over 12 workers";
  EXPECT_NEAR(model.predict(12), 40.0, 1.0);
}

}  // namespace
}  // namespace feedrate::testing
