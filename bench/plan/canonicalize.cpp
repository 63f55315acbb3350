// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/canonicalize.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "bench/plan/knobs.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

struct Circumstance {
  IdleWith with;
  KnobId knob;                           // this knob decides
  std::vector<std::string_view> values;  // the values that count, {} in `reason`
  const char* reason;
  std::string_view format = {};  // additionally, a prefix of the format
};

std::vector<std::string_view> formats_for_library(bool is_hdf5) {
  std::vector<std::string_view> names;
  for (const Format& format : formats()) {
    const bool is_direct = format.name == "hdf5-contiguous";
    if (format.name.starts_with("hdf5") == is_hdf5 && !is_direct) names.push_back(format.name);
  }
  return names;
}

// Includes "", the dataset's own format.
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
  using enum IdleWith;
  static const std::vector<Circumstance> table{
      {kMockLoader, KnobId::loader, {"cached", "resident"}, "has no effect with the {} loader"},
      {kResidentBatch, KnobId::loader, {"resident"}, "has no effect without a copy"},
      {kNoWorkers,
       KnobId::num_workers,
       {"0"},
       "has no effect without workers (PyTorch rejects it)"},
      {kNoForkServer,
       KnobId::multiprocessing_context,
       {"fork", "spawn"},
       "has no effect without a fork server"},
      {kDataLoader, KnobId::engine, {"torch"}, "has no effect with PyTorch's DataLoader"},
      {kNoShuffle, KnobId::shuffle, {"false"}, "has no effect without shuffle"},
      {kOwnBatches,
       KnobId::batch_size,
       {"null"},
       "has no effect with batch_size null (PyTorch rejects it)"},
      {kOneRank, KnobId::ranks, {"1"}, "has no effect with one rank"},
      {kPaddedAlike,
       KnobId::padding,
       {"max_length"},
       "has no effect when all sequences are padded to one length"},
      {kDiscard, KnobId::trainer, {"discard"}, "has no effect with the {} trainer"},
      {kBurn, KnobId::trainer, {"burn"}, "has no effect with the {} trainer"},
      {kGemm, KnobId::trainer, {"gemm"}, "has no effect with the {} trainer"},
      {kCnn, KnobId::trainer, {"cnn"}, "has no effect with the {} trainer"},
      {kTrace, KnobId::trainer, {"trace"}, "has no effect with the {} trainer"},
      {kOwnStep, KnobId::trainer, {"torch"}, "has no effect with a step of your own"},
      {kInMemory, KnobId::staging, {"ram"}, "is always as-is for a dataset in memory"},
      {kDevicePrefetch, KnobId::device_prefetch, {"1", "2"}, "is always side with device_prefetch"},
      {kOnCpu, KnobId::device, {"cpu"}, "has no effect where nothing is copied to a device"},
      {kPageable, KnobId::pin_memory, {"false"}, "has no effect on a copy from pageable memory"},
      {kNoHdf5, KnobId::format, formats_for_library(false), "has no effect without HDF5"},
      {kNotContiguous, KnobId::format, formats_for_library(true),
       "is always library for HDF5 that is not contiguous"},
      {kHdf5Library,
       KnobId::hdf5_reads,
       {"library"},
       "has no effect when the HDF5 library reads",
       "hdf5"},
      {kOneByOne, KnobId::batched_reads, {"false", ""}, "has no effect without batched_reads"},
      {kNoChunks, KnobId::format, formats_without({"hdf5-decoded", "zarr"}),
       "has no effect without format hdf5-decoded or zarr"},
      {kNoZarr, KnobId::format, formats_without({"zarr"}), "has no effect without format zarr"},
  };
  return table;
}

struct IdleKnob {
  const Knob* knob;
  const Idle* idle;
};

const std::vector<std::vector<IdleKnob>>& idle_knobs() {
  static const std::vector<std::vector<IdleKnob>> table = [] {
    std::vector<std::vector<IdleKnob>> all;
    for (const Circumstance& one : circumstances()) {
      std::vector<IdleKnob>& knobs_there = all.emplace_back();
      for (const Knob& knob : knobs()) {
        if (const Idle* const idle = idle_with(knob, one.with))
          knobs_there.push_back({&knob, idle});
      }
    }
    return all;
  }();
  return table;
}

SettingValue neutral_value(const Knob& knob, const Idle& idle) {
  if (idle.value.empty()) return std::string();
  return parse_knob(knob, std::string(idle.value), knob.name);
}

bool holds(const Circumstance& one, const std::string& value, const CellSettings& settings) {
  return std::find(one.values.begin(), one.values.end(), value) != one.values.end() &&
         (one.format.empty() || settings.text(KnobId::format).starts_with(one.format));
}

}  // namespace

std::string Canonicalized::text() const { return fmt::format(fmt::runtime(reason), value); }

std::vector<Canonicalized> canonicalize(CellSettings& settings) {
  std::vector<Canonicalized> changed;
  for (std::size_t i = 0; i < circumstances().size(); ++i) {
    const Circumstance& one = circumstances()[i];
    const std::string value = settings.text(one.knob);
    if (!holds(one, value, settings)) continue;
    for (const auto& [knob, idle] : idle_knobs()[i]) {
      const std::string text = settings.text(knob->id);
      if (text.empty() || text == idle->value || text == idle->kept) continue;
      settings.set(knob->id, neutral_value(*knob, *idle));
      changed.push_back({knob->id, one.reason, value});
    }
  }
  return changed;
}

void canonicalize(Settings& settings) {
  CellSettings typed = settings;
  for (const Canonicalized& one : canonicalize(typed)) {
    for (Setting& setting : settings) {
      if (setting.name == knob_of(one.knob).name) setting.value = *typed.find(one.knob);
    }
  }
}

}  // namespace feedrate
