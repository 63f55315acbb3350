// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/session.h"

#include <fstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "bench/engines/torch/parent_trainer.h"
#include "core/error.h"
#include "tests/support/fake_python.h"
#include "tests/support/message_of.h"
#include "tests/support/test_device.h"

namespace feedrate {
namespace {

using ::testing::ElementsAre;
using testing::FakePython;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Two kept steps and one short epoch; 4 samples of 1 MB on a device of 1 GB/s, 10 ms a step.
constexpr const char* kGoodRun = R"(
batch() { say "{\"event\":\"batch\",\"t0\":$1,\"t1\":$2,\"let_go\":$2,\"samples\":4,\"bytes\":4000000,\"pinned\":true}"; hear; }
job
say '{"event":"prepared","batches_per_epoch":3,"samples_dropped":2}'
say '{"event":"first_batch","took":7}'; batch 0 0
say '{"event":"epoch_end","took":5}'
say '{"event":"first_batch","took":8}'; batch 3 4
say '{"event":"warning","text":"slow"}'
say '{"event":"window","processes":[1]}'; hear
batch 100 120
batch 200 230
say '{"event":"window_over","processes":[1],"tokens":0,"token_places":0,"epochs":0}'; hear
say '{"event":"done","pinned_bytes":8}'; hear
)";

class TorchSession : public ::testing::Test {
 protected:
  TorchSessionOptions options() {
    return {.protocol = {.steps = 2, .warmup = 0, .short_epochs = 1},
            .make_trainer =
                [this](std::size_t batch_bytes) {
                  sizes_.push_back(batch_bytes);
                  return make_device_trainer(*device_, {.batch_bytes = batch_bytes},
                                             make_burn_work(std::chrono::milliseconds(10), 4));
                },
            .clock = &clock_,
            .allocate = [this](std::size_t size,
                               HostMemory kind) { return device_->allocate_host(size, kind); },
            .on_python_warning = [this](const std::string& text) { warnings_.push_back(text); },
            .on_warm_up = [this] { asked_at_warm_up_.push_back(sizes_.size()); },
            .on_window_over = [this] { at_window_over_(); }};
  }

  TorchSessionResult run(std::string_view script) {
    const FakePython python(script);
    Conversation child(start_python({python.path().string()}), "{}", {});
    return run_torch_session(child, options());
  }

  std::string failure(std::string_view script) {
    return testing::message_of([&] { return run(script); });
  }

  ManualClock own_clock_;
  ChildClock clock_{own_clock_};
  std::unique_ptr<Device> device_ = testing::make_ideal_device(clock_);
  std::vector<std::size_t> sizes_;
  std::vector<std::string> warnings_;
  std::function<void()> at_window_over_ = [] {};
  std::vector<std::size_t> asked_at_warm_up_;
};

TEST_F(TorchSession, combines_the_marks_of_the_child_and_of_the_trainer) {
  const TorchSessionResult result = run(kGoodRun);
  ASSERT_THAT(result.measurement.kept, SizeIs(2));
  const StepMarks& first = result.measurement.kept[0];
  EXPECT_EQ(first.asked, Nanos(100));
  EXPECT_EQ(first.loaded, Nanos(120));
  EXPECT_EQ(first.samples, 4U);
  // Each step copies for 4 ms and burns for 10 ms; `first` is the third step.
  EXPECT_EQ(first.copied, std::chrono::milliseconds(2 * 14 + 4));
  EXPECT_EQ(first.trained, std::chrono::milliseconds(3 * 14));
}

TEST_F(TorchSession, the_child_receives_the_end_of_each_step) {
  std::string script = kGoodRun;
  const std::string hear = "hear; }";
  script.replace(script.find(hear), hear.size(),
                 R"(hear; say "{\"event\":\"warning\",\"text\":\"$answer\"}"; })");
  // The last batch comes after the end of the step before it.
  script.replace(script.find("batch 200 230"), 13, "batch 200 50000000");
  static_cast<void>(run(script));
  EXPECT_THAT(warnings_, ElementsAre("14000000", "28000000", "slow", "42000000", "64000000"));
  EXPECT_EQ(own_clock_.now(), Nanos(0));
}

TEST_F(TorchSession, tokens_are_those_that_the_child_counted_in_the_window) {
  EXPECT_EQ(run(kGoodRun).measurement.tokens.padded, 0U);
  std::string script = kGoodRun;
  const std::string none = R"("tokens":0,"token_places":0)";
  script.replace(script.find(none), none.size(), R"("tokens":30,"token_places":40)");
  const TokenCount tokens = run(script).measurement.tokens;
  EXPECT_EQ(tokens.real, 30U);
  EXPECT_EQ(tokens.padded, 40U);
}

TEST_F(TorchSession, reports_the_step_of_the_device) {
  EXPECT_EQ(run(kGoodRun).device_step, "");
  std::string script = kGoodRun;
  script.replace(script.find("job\n"), 4,
                 "job\nsay '{\"event\":\"device_step\",\"name\":\"burn\"}'\n");
  EXPECT_EQ(run(script).device_step, "burn");
}

TEST_F(TorchSession, reports_once_that_the_long_epoch_has_its_first_batch) {
  static_cast<void>(run(kGoodRun));
  // The short epoch's step, which made the trainer, was over before.
  EXPECT_THAT(asked_at_warm_up_, ElementsAre(1U));
}

TEST_F(TorchSession, kept_steps_follow_each_other_without_a_gap) {
  const std::vector<StepMarks> kept = run(kGoodRun).measurement.kept;
  ASSERT_THAT(kept, SizeIs(2));
  EXPECT_EQ(kept[1].asked, kept[0].trained);
}

TEST_F(TorchSession, epochs_and_spans_are_those_of_all_steps) {
  const TorchSessionResult result = run(kGoodRun);
  ASSERT_THAT(result.measurement.epochs, SizeIs(2));
  EXPECT_EQ(result.measurement.epochs[0].first_batch, Nanos(7));
  EXPECT_EQ(result.measurement.epochs[0].end, Nanos(5));
  EXPECT_FALSE(result.measurement.epochs[1].end);
  EXPECT_THAT(result.measurement.spans, SizeIs(4));
  EXPECT_EQ(result.prepared.batches_per_epoch, 3U);
  EXPECT_EQ(result.pinned_bytes, 8U);
  EXPECT_THAT(warnings_, ElementsAre("slow"));
}

TEST_F(TorchSession, an_epoch_that_begins_while_the_one_before_is_loaded_is_delayed) {
  std::string script = kGoodRun;
  script.replace(script.find(R"("took":8)"), 8, R"("took":null)");
  const std::vector<EpochMarks> epochs = run(script).measurement.epochs;
  ASSERT_THAT(epochs, SizeIs(2));
  EXPECT_FALSE(epochs[0].is_delayed);
  EXPECT_TRUE(epochs[1].is_delayed);
}

TEST_F(TorchSession, epochs_that_began_within_the_window_are_counted) {
  EXPECT_EQ(run(kGoodRun).epochs_in_window, 0U);
  std::string script = kGoodRun;
  script.replace(script.find(R"("epochs":0)"), 10, R"("epochs":2)");
  EXPECT_EQ(run(script).epochs_in_window, 2U);
}

TEST_F(TorchSession, cpu_time_is_known_of_processes_that_stay) {
  const TorchSessionResult result = run(kGoodRun);
  EXPECT_TRUE(result.cpu_known);
  EXPECT_GE(result.measurement.cpu_seconds, 0.0);
}

TEST_F(TorchSession, cpu_time_is_not_known_of_processes_that_came_or_went) {
  const auto cpu_known = [&](const std::string& before, const std::string& after) {
    std::string script = kGoodRun;
    script.replace(script.find("[1]"), 3, before);
    script.replace(script.find("[1]"), 3, after);
    return run(script).cpu_known;
  };
  EXPECT_FALSE(cpu_known("[1, 1]", "[1]"));
  EXPECT_FALSE(cpu_known("[2147483647]", "[1]"));
}

TEST_F(TorchSession, the_first_batch_sets_the_size_of_the_trainer) {
  static_cast<void>(run(kGoodRun));
  EXPECT_THAT(sizes_, ElementsAre(4'000'000U));
}

TEST_F(TorchSession, the_end_of_the_window_is_reported_while_the_child_waits) {
  const FakePython python(kGoodRun);
  Conversation child(start_python({python.path().string()}), "{}", {});
  pid_t id = 0;
  at_window_over_ = [&] {
    std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", ::getpid()));
    list >> id;
  };
  static_cast<void>(run_torch_session(child, options()));
  EXPECT_NE(id, 0);
}

TEST_F(TorchSession, fewer_steps_than_asked_for_are_an_error) {
  EXPECT_THAT(failure(R"(job
say '{"event":"first_batch","took":8}'
say '{"event":"done","pinned_bytes":0}'; hear)"),
              HasSubstr("kept 0 steps in 1 epochs instead of 2 in 2"));
}

TEST_F(TorchSession, fewer_steps_are_a_window_where_it_has_a_limit) {
  const auto kept_of = [this](const char* steps) {
    std::string script = kGoodRun;
    const std::string two = "batch 100 120\nbatch 200 230\n";
    script.replace(script.find(two), two.size(),
                   fmt::format("for i in {}; do batch $i $i; done\n", steps));
    const FakePython python(script);
    Conversation child(start_python({python.path().string()}), "{}", {});
    TorchSessionOptions limited = options();
    limited.protocol.steps = 60;
    limited.protocol.window_limit = Nanos(1);
    return run_torch_session(child, limited).measurement.kept.size();
  };
  EXPECT_EQ(kept_of("0 1 2 3 4 5 6 7 8 9"), ProtocolOptions::kLeastSteps);
  EXPECT_THROW(kept_of("0 1 2 3 4 5 6 7 8"), Error);
}

TEST_F(TorchSession, a_message_out_of_turn_is_an_error) {
  EXPECT_THAT(failure(R"(job; say '{"event":"epoch_end","took":8}'; sleep 1000)"),
              HasSubstr("\"epoch_end\" unexpectedly"));
}

TEST_F(TorchSession, one_trainer_is_enough_if_the_largest_batch_is_known) {
  const TorchSessionOptions made = options();
  ParentTrainer trainer(made.make_trainer, made.allocate, 5000);
  for (const std::size_t bytes : {1000U, 5000U, 2000U}) {
    static_cast<void>(trainer.step(1, bytes, HostMemory::kPageable));
  }
  EXPECT_THAT(trainer.finish(), SizeIs(3));
  EXPECT_THAT(sizes_, ElementsAre(5000U));
}

TEST_F(TorchSession, batches_that_grow_get_a_larger_trainer_and_keep_all_spans) {
  const TorchSessionOptions made = options();
  ParentTrainer trainer(made.make_trainer, made.allocate);
  for (const std::size_t bytes : {1000U, 1000U, 1500U, 1800U, 9000U}) {
    static_cast<void>(trainer.step(1, bytes, HostMemory::kPageable));
  }
  EXPECT_THAT(sizes_, ElementsAre(1000U, 2000U, 9000U));
  EXPECT_THAT(trainer.finish(), SizeIs(5));
}

}  // namespace
}  // namespace feedrate
