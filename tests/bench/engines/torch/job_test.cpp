// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/job.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/engines/torch/python_package.h"
#include "bench/plan/canonicalize.h"
#include "bench/plan/cell_spec.h"
#include "bench/plan/knobs.h"
#include "formats/registry.h"
#include "tests/support/knob_values.h"

namespace feedrate {
namespace {

using testing::other_values;

// Knobs that are not in the job, with the reason.
const std::map<std::string_view, std::string_view> kElsewhere{
    {"variant", "it names the dataset"},
    {"environment", "the engine starts the process with it"},
    {"staging", "the engine copies the dataset and names the copy"},
    {"chunk", "the engine converts the dataset and names the copy"},
    {"codec", "the engine converts the dataset and names the copy"},
    {"affinity", "the engine sets that of the child"},
    {"padding", "of datasets of tokens"},
    {"decoder", "one on the device is refused, others are idle"}};

// Returns the job with two workers, a GPU, this value and all other knobs at their defaults;
// nothing if the knob is idle.
std::optional<std::string> job_with(std::string_view name, const std::string& value) {
  Settings settings;
  for (const Knob& knob : knobs()) {
    std::string text(knob.fallback);
    if (knob.name == "engine") text = "torch";
    if (knob.name == "device") text = "cuda:0";
    if (knob.name == "num_workers") text = "2";
    if (knob.name == name) text = value;
    settings.push_back(
        {std::string(knob.name), text.empty() ? SettingValue("") : parse_knob(knob, text, "x")});
  }
  canonicalize(settings);
  if (text_of(settings, std::string(name)) != value) return std::nullopt;
  const CellSpec cell = make_cell_spec(settings, 1);
  return torch_job(cell, {TorchRecords{"data", cell.format, {}, false}, std::nullopt}, {}, 1);
}

std::string sources_in_python() {
  for (const PythonFile& file : python_files()) {
    if (file.path == "feedrate/records.py") {
      return std::string(file.text.substr(file.text.find("\n_SOURCES: ")));
    }
  }
  return {};
}

TEST(TorchRecords, are_of_every_format) {
  const std::string sources = sources_in_python();
  for (const Format& format : formats()) {
    EXPECT_THAT(sources, ::testing::HasSubstr(fmt::format("\n    \"{}\": ", format.name)));
  }
}

// A choice that does not reach PyTorch's process would seem to have no effect.
TEST(TorchJob, contains_every_choice_that_pytorch_has) {
  const std::optional<std::string> usual = job_with("num_workers", "2");
  for (const Knob& knob : knobs()) {
    if (knob.role != KnobRole::kChoice || knob.only_native || kElsewhere.contains(knob.name)) {
      continue;
    }
    bool is_idle = true;
    bool is_told = false;
    for (const std::string& value : other_values(knob)) {
      const std::optional<std::string> job = job_with(knob.name, value);
      is_idle = is_idle && !job;
      is_told = is_told || (job && job != usual);
    }
    EXPECT_TRUE(is_idle || is_told)
        << knob.name
        << ": put it into the job (bench/engines/torch/job.cpp), or mark it only_native";
  }
}

}  // namespace
}  // namespace feedrate
