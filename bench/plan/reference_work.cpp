// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/reference_work.h"

#include <array>

#include "bench/plan/knobs.h"

namespace feedrate {
namespace {

// Of older results only.
constexpr auto kOldLoadingWork = std::to_array<const char*>(
    {"file_reads", "disturbance_readers", "disturbance_read_bytes", "disturbance_metadata"});

std::string words(const Settings& settings, KnobWork work) {
  std::string text;
  for (const Knob& knob : knobs()) {
    if (knob.work != work && knob.work != KnobWork::kBoth) continue;
    text += text_of(settings, std::string(knob.name)) + '\n';
  }
  return text;
}

}  // namespace

bool has_mock_loader(const Settings& settings) {
  const std::string loader = text_of(settings, "loader");
  return loader == "cached" || loader == "resident";
}

std::string trainer_work(const Settings& settings) {
  // The one decoder that is no loader's.
  const bool decodes = text_of(settings, "decoder") == "nvjpeg";
  return words(settings, KnobWork::kTrainer) + (decodes ? "nvjpeg" : "");
}

std::string loading_work(const Settings& settings) {
  std::string text = words(settings, KnobWork::kLoading);
  for (const char* const name : kOldLoadingWork) text += text_of(settings, name) + '\n';
  return text;
}

}  // namespace feedrate
