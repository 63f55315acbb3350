// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/canonicalize.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "bench/plan/knobs.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

// What is beside a knob that may be idle.
struct Circumstance {
  Beside beside;
  const char* knob;                      // Where this knob …
  std::vector<std::string_view> values;  // … has one of these values …
  const char* reason;                    // … with {} for it;
  std::string_view format = {};          // and the format begins so.
};

// All of them, so that a new format has them, too.
std::vector<std::string_view> formats_for_library(bool is_hdf5) {
  std::vector<std::string_view> names;
  for (const Format& format : formats()) {
    const bool is_direct = format.name == "hdf5-contiguous";
    if (format.name.starts_with("hdf5") == is_hdf5 && !is_direct) names.push_back(format.name);
  }
  return names;
}

// And the dataset as it is, which is not converted.
std::vector<std::string_view> formats_without(const std::vector<std::string_view>& left_out) {
  std::vector<std::string_view> names{""};
  for (const Format& format : formats()) {
    if (std::find(left_out.begin(), left_out.end(), format.name) == left_out.end()) {
      names.push_back(format.name);
    }
  }
  return names;
}

const std::vector<Circumstance>& circumstances() {
  using enum Beside;
  static const std::vector<Circumstance> table{
      {kMockLoader, "loader", {"cached", "resident"}, "has no effect with the {} loader"},
      {kResidentBatch, "loader", {"resident"}, "has no effect without a copy"},
      {kNoWorkers, "num_workers", {"0"}, "has no effect without workers (PyTorch rejects it)"},
      {kWorkerThreads, "worker_type", {"thread"}, "has no effect with worker threads"},
      {kNoForkServer,
       "multiprocessing_context",
       {"fork", "spawn"},
       "has no effect without a fork server"},
      {kDataLoader, "engine", {"torch"}, "has no effect with PyTorch's DataLoader"},
      {kNoShuffle, "shuffle", {"false"}, "has no effect without shuffle"},
      {kOwnBatches,
       "batch_size",
       {"null"},
       "has no effect with batch_size null (PyTorch rejects it)"},
      {kOneRank, "ranks", {"1"}, "has no effect with one rank"},
      {kPaddedAlike,
       "padding",
       {"max_length"},
       "has no effect when all sequences are padded to one length"},
      {kDiscard, "trainer", {"discard"}, "has no effect with the {} trainer"},
      {kBurn, "trainer", {"burn"}, "has no effect with the {} trainer"},
      {kGemm, "trainer", {"gemm"}, "has no effect with the {} trainer"},
      {kCnn, "trainer", {"cnn"}, "has no effect with the {} trainer"},
      {kTrace, "trainer", {"trace"}, "has no effect with the {} trainer"},
      {kOwnStep, "trainer", {"torch"}, "has no effect with a step of your own"},
      {kInMemory, "staging", {"ram"}, "is always as-is for a dataset in memory"},
      {kDevicePrefetch, "device_prefetch", {"1", "2"}, "is always side with device_prefetch"},
      {kOnCpu, "device", {"cpu"}, "has no effect where nothing is copied to a device"},
      {kPageable, "pin_memory", {"false"}, "has no effect on a copy from pageable memory"},
      {kNothingPinned, "pin_memory", {"false"}, "has no effect without pinned memory"},
      {kNoHdf5, "format", formats_for_library(false), "has no effect without HDF5"},
      {kNotContiguous, "format", formats_for_library(true),
       "is always library for HDF5 that is not contiguous"},
      {kHdf5Library,
       "hdf5_reads",
       {"library"},
       "has no effect when the HDF5 library reads",
       "hdf5"},
      {kOneByOne, "batched_reads", {"false", ""}, "has no effect without batched_reads"},
      {kNoChunks, "format", formats_without({"hdf5-decoded", "zarr"}),
       "has no effect without format hdf5-decoded or zarr"},
      {kNoZarr, "format", formats_without({"zarr"}), "has no effect without format zarr"},
  };
  return table;
}

SettingValue* value_of(Settings& settings, std::string_view name) {
  const auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const Setting& candidate) { return candidate.name == name; });
  return found == settings.end() ? nullptr : &found->value;
}

SettingValue neutral_value(const Knob& knob, const Idle& idle) {
  if (idle.value.empty()) return std::string();
  return parse_knob(knob, std::string(idle.value), knob.name);
}

bool holds(const Circumstance& one, const Settings& settings) {
  const std::string value = text_of(settings, one.knob);
  return std::find(one.values.begin(), one.values.end(), value) != one.values.end() &&
         text_of(settings, "format").starts_with(one.format);
}

}  // namespace

std::vector<Canonicalized> canonicalize(Settings& settings) {
  std::vector<Canonicalized> changed;
  for (const Circumstance& one : circumstances()) {
    if (!holds(one, settings)) continue;
    const std::string reason = fmt::format(fmt::runtime(one.reason), text_of(settings, one.knob));
    for (const Knob& knob : knobs()) {
      const Idle* const idle = idle_beside(knob, one.beside);
      if (idle == nullptr) continue;
      SettingValue* const value = value_of(settings, knob.name);
      const std::string text = value == nullptr ? std::string() : to_string(*value);
      if (text.empty() || text == idle->value || text == idle->kept) continue;
      *value = neutral_value(knob, *idle);
      changed.push_back({std::string(knob.name), reason});
    }
  }
  return changed;
}

}  // namespace feedrate
