// SPDX-License-Identifier: Apache-2.0
#include "training/process_evidence.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/host/fake_root.h"
#include "tests/training/made_script.h"

namespace feedrate::testing {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// A /proc as Linux 6.1 shows it.
class ProcessEvidenceTest : public ::testing::Test {
 protected:
  void process(pid_t id, std::uint64_t running, std::uint64_t runnable, std::uint64_t read_bytes,
               std::uint64_t major_faults) {
    const std::string folder = fmt::format("proc/{}/", id);
    root_.write(fmt::format("{}task/{}/schedstat", folder, id),
                fmt::format("{} {} 1734\n", running, runnable));
    root_.write(folder + "io",
                fmt::format("rchar: 81920117\nwchar: 1024\nsyscr: 911\nsyscw: 12\nread_bytes: {}\n"
                            "write_bytes: 4096\ncancelled_write_bytes: 0\n",
                            read_bytes));
    root_.write(
        folder + "stat",
        fmt::format("{} (pt_data (worker)) S 100 100 99 34816 100 4194304 52113 0 {} 0 311 24 0 "
                    "0 20 0 1 0 88211 3124129792 60121 18446744073709551615 0 0\n",
                    id, major_faults));
  }

  [[nodiscard]] std::vector<std::pair<std::size_t, LoaderEvidence>> poll(double seconds) {
    return evidence_.poll(script_->watch, from_seconds(seconds));
  }

  FakeRoot root_;
  ProcessEvidence evidence_{root_.path()};
  std::optional<MadeScript> script_;
};

TEST_F(ProcessEvidenceTest, reads_the_counters_of_a_process) {
  process(200, 1'500'000'000, 250'000'000, 4'096, 17);
  const std::optional<ProcessCounters> counters = read_counters(root_.path(), 200);
  ASSERT_TRUE(counters);
  EXPECT_EQ(counters->running, Nanos(1'500'000'000));
  EXPECT_EQ(counters->runnable, Nanos(250'000'000));
  EXPECT_EQ(counters->read_bytes, 4'096U);
  EXPECT_EQ(counters->major_faults, 17U);
  EXPECT_FALSE(read_counters(root_.path(), 201));
}

TEST_F(ProcessEvidenceTest, has_0_for_counters_that_the_kernel_lacks) {
  process(200, 1, 1, 1, 17);
  std::filesystem::remove(root_.path() / "proc/200/io");
  std::filesystem::remove_all(root_.path() / "proc/200/task");
  EXPECT_EQ(read_counters(root_.path(), 200)->read_bytes, 0U);
  EXPECT_EQ(read_counters(root_.path(), 200)->runnable, Nanos(0));
}

TEST_F(ProcessEvidenceTest, sums_the_activity_of_the_workers_since_the_last_poll) {
  script_.emplace(made_loader(2));
  script_->tell(ScriptWorkers{kLoader, {200, 201}});
  process(200, 1'000, 0, 0, 0);
  process(201, 1'000, 0, 0, 0);
  script_->step(1.0, 1.0);
  EXPECT_THAT(poll(10.0), IsEmpty());
  script_->step(1.0, 1.0);
  process(200, 500'001'000, 100'000'000, 6'000'000, 4);
  process(201, 300'001'000, 0, 4'000'000, 0);
  const auto all = poll(12.0);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_EQ(all[0].first, kConnection);
  const LoadingEvidence& evidence = all[0].second.evidence;
  EXPECT_DOUBLE_EQ(evidence.span, 2.0);
  EXPECT_DOUBLE_EQ(evidence.running, 0.8);
  EXPECT_DOUBLE_EQ(evidence.runnable, 0.1);
  EXPECT_DOUBLE_EQ(evidence.read_bytes_per_second(), 5'000'000.0);
  EXPECT_DOUBLE_EQ(evidence.major_faults_per_second(), 2.0);
}

TEST_F(ProcessEvidenceTest, polls_the_training_itself_without_workers) {
  script_.emplace(made_loader());
  process(100, 0, 0, 0, 0);
  script_->step(1.0, 1.0);
  EXPECT_THAT(poll(10.0), IsEmpty());
  script_->step(1.0, 1.0);
  process(100, 1'000'000'000, 0, 0, 0);
  ASSERT_THAT(poll(12.0), SizeIs(1));
  process(100, 2'000'000'000, 0, 0, 0);
  EXPECT_THAT(poll(17.0), IsEmpty());  // It has loaded nothing since.
}

TEST_F(ProcessEvidenceTest, finds_unreported_workers_among_the_children) {
  script_.emplace(made_loader(1));
  process(100, 0, 0, 0, 0);
  root_.write("proc/100/task/100/children", "200 ");
  process(200, 0, 0, 0, 0);
  script_->step(1.0, 1.0);
  EXPECT_THAT(poll(10.0), IsEmpty());
  script_->step(1.0, 1.0);
  process(200, 700'000'000, 0, 0, 0);
  const auto all = poll(12.0);
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_DOUBLE_EQ(all[0].second.evidence.running, 0.7);
}

TEST_F(ProcessEvidenceTest, polls_rarely) {
  script_.emplace(made_loader());
  process(100, 0, 0, 0, 0);
  std::size_t polls = 0;
  for (int tenth = 0; tenth < 1'000; ++tenth) {  // 100 s.
    script_->step(1.0, 1.0);
    polls += poll(10.0 + 0.1 * tenth).size();
  }
  EXPECT_GE(polls, 20U);
  EXPECT_LE(polls, 30U);
}

TEST(LoadingEvidence, is_of_computing_if_batches_are_cpu_time) {
  EXPECT_EQ(cause_of({10.0, 8.0, 1.0, 1'000'000'000, 0}, 0.8), LoadingCause::kComputes);
}

TEST(LoadingEvidence, is_of_waiting_for_a_cpu_if_that_is_most_of_the_wait) {
  EXPECT_EQ(cause_of({10.0, 20.0, 60.0, 0, 0}, 0.25), LoadingCause::kWaitsForCpu);
  EXPECT_EQ(cause_of({10.0, 20.0, 20.0, 0, 0}, 0.25), LoadingCause::kSleeps);
}

TEST(LoadingEvidence, is_of_storage_only_with_bytes_or_faults) {
  EXPECT_EQ(cause_of({10.0, 1.0, 0.0, 5'000'000, 0}, 0.1), LoadingCause::kReadsStorage);
  EXPECT_EQ(cause_of({10.0, 1.0, 0.0, 0, 80}, 0.1), LoadingCause::kReadsStorage);
  EXPECT_EQ(cause_of({10.0, 1.0, 0.0, 100'000, 8}, 0.1), LoadingCause::kSleeps);
  EXPECT_EQ(cause_of({}, 0.1), LoadingCause::kUnknown);
}

TEST(LoadingEvidence, has_words_for_one_and_for_many) {
  const LoadingEvidence evidence{10.0, 1.0, 0.0, 0, 0};
  EXPECT_EQ(cause_text(LoadingCause::kSleeps, evidence, false),
            "sleep or wait (network, locks, other processes)");
  EXPECT_EQ(cause_text(LoadingCause::kWaitsForCpu, evidence, true), "waits for a CPU");
}

}  // namespace
}  // namespace feedrate::testing
