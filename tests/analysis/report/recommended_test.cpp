// SPDX-License-Identifier: Apache-2.0
#include "analysis/report/recommended.h"

#include <fstream>

#include "analysis/best.h"
#include "analysis/report/json.h"
#include "analysis/report/load_run.h"
#include "analysis/report/run_writer.h"
#include "core/error.h"
#include "tests/analysis/report/sample_run.h"
#include "tests/support/golden.h"
#include "tests/support/matchers.h"

namespace feedrate {
namespace {

class RecommendedSettings : public ::testing::Test {
 protected:
  void write_file(const std::string& started_at) const {
    std::ofstream(folder_ / kRecommendationFile)
        << R"({"started_at": ")" << started_at << R"(", "confidence": 0.97, )"
        << R"("confidence_asked": 0.95, "claim": "97 %: sure.", "text": "Recommended: it\n", )"
        << R"("code": "loader = DataLoader(dataset)\n", "recommended": {"settings": )"
        << settings_to_json(run_.cells[1].settings) << "}}";
  }

  const std::filesystem::path folder_ = fresh_folder();
  RunResult run_ = sample_run();
};

TEST_F(RecommendedSettings, are_read_with_the_run_of_the_folder) {
  RunWriter(folder_, ManualClock()).write(run_);
  write_file(run_.started_at);
  const RunResult loaded = load_run(folder_);
  ASSERT_TRUE(loaded.recommended);
  EXPECT_EQ(recommended_cell(loaded), &loaded.cells[1]);
  EXPECT_EQ(loaded.recommended->confidence, 0.97);
  EXPECT_EQ(loaded.recommended->confidence_asked, 0.95);
  EXPECT_EQ(loaded.recommended->claim, "97 %: sure.");
  EXPECT_EQ(loaded.recommended->text, "Recommended: it\n");
  EXPECT_EQ(loaded.recommended->code, "loader = DataLoader(dataset)\n");
}

TEST_F(RecommendedSettings, are_ignored_for_another_run) {
  RunWriter(folder_, ManualClock()).write(run_);
  write_file("2024-01-01T00:00:00Z");
  EXPECT_FALSE(load_run(folder_).recommended);
}

TEST_F(RecommendedSettings, go_when_a_run_that_has_none_is_written) {
  write_file(run_.started_at);
  RunWriter(folder_, ManualClock(), EarlierRun::kReplace).write(run_);
  EXPECT_FALSE(std::filesystem::exists(folder_ / kRecommendationFile));
}

TEST_F(RecommendedSettings, stay_when_their_own_run_is_written) {
  write_file(run_.started_at);
  run_.recommended = Recommended{.settings = run_.cells[1].settings};
  RunWriter(folder_, ManualClock(), EarlierRun::kContinue).write(run_);
  EXPECT_TRUE(std::filesystem::exists(folder_ / kRecommendationFile));
}

TEST_F(RecommendedSettings, are_damage_where_the_file_is_no_recommendation) {
  RunWriter(folder_, ManualClock()).write(run_);
  for (const std::string damaged :
       {"{", "[]", "{\"started_at\": 3}", "{\"started_at\": \"2025-01-02T03:04:05Z\"}"}) {
    std::ofstream(folder_ / kRecommendationFile) << damaged;
    EXPECT_THROW(static_cast<void>(load_run(folder_)), FormatError) << damaged;
  }
}

TEST_F(RecommendedSettings, are_damage_where_their_json_is_nested_absurdly) {
  RunWriter(folder_, ManualClock()).write(run_);
  std::ofstream(folder_ / kRecommendationFile)
      << R"({"started_at": ")" << run_.started_at << R"(", "recommended": {"settings": )"
      << std::string(100'000, '[') << std::string(100'000, ']') << "}}";
  EXPECT_THAT([&] { static_cast<void>(load_run(folder_)); },
              ::testing::ThrowsMessage<FormatError>(HasSubstr("more than 64 deep")));
}

TEST_F(RecommendedSettings, are_no_cell_where_the_run_has_lost_it) {
  run_.recommended = Recommended{.settings = run_.cells[1].settings};
  run_.cells.erase(run_.cells.begin() + 1);
  EXPECT_EQ(recommended_cell(run_), nullptr);
}

}  // namespace
}  // namespace feedrate
