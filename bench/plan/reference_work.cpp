// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/reference_work.h"

#include <array>

#include "bench/plan/knobs.h"

namespace feedrate {
namespace {

// Settings of older results.
constexpr auto kOldLoadingWork = std::to_array<const char*>(
    {"file_reads", "disturbance_readers", "disturbance_read_bytes", "disturbance_metadata"});

std::string text(const CellSettings& settings, const Knob& knob) { return settings.text(knob.id); }
std::string text(const Settings& settings, const Knob& knob) {
  return text_of(settings, std::string(knob.name));
}

template <typename AnySettings>
std::string words(const AnySettings& settings, KnobWork work) {
  std::string all;
  for (const Knob& knob : knobs()) {
    if (knob.work == work || knob.work == KnobWork::kBoth) all += text(settings, knob) + '\n';
  }
  return all;
}

template <typename AnySettings>
std::string trainer_words(const AnySettings& settings) {
  const bool decodes = text(settings, knob_of(KnobId::decoder)) == "nvjpeg";
  return words(settings, KnobWork::kTrainer) + (decodes ? "nvjpeg" : "");
}

}  // namespace

bool has_mock_loader(const Settings& settings) {
  const std::string loader = text_of(settings, "loader");
  return loader == "cached" || loader == "resident";
}

std::string trainer_work(const Settings& settings) { return trainer_words(settings); }
std::string trainer_work(const CellSettings& settings) { return trainer_words(settings); }

std::string loading_work(const Settings& settings) {
  std::string text = words(settings, KnobWork::kLoading);
  for (const char* const name : kOldLoadingWork) text += text_of(settings, name) + '\n';
  return text;
}
std::string loading_work(const CellSettings& settings) {
  return words(settings, KnobWork::kLoading);
}

}  // namespace feedrate
