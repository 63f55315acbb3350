#include "bench/plan/knobs.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/error.h"
#include "device/open.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

constexpr double kMany = 1e9;

using enum KnobType;

const std::vector<Knob>& table() {
  static const std::vector<Knob> rows{
      {"num_workers",
       "loader",
       "num_workers",
       kInteger,
       "0",
       0,
       4096,
       {},
       "workers that load; 0: the training thread loads"},
      {"persistent_workers",
       "loader",
       "persistent_workers",
       kBool,
       "false",
       0,
       0,
       {},
       "keep the workers from epoch to epoch"},
      {"pin_memory",
       "loader",
       "pin_memory",
       kBool,
       "false",
       0,
       0,
       {},
       "batches in page-locked memory"},
      {"non_blocking",
       "device",
       "non_blocking",
       kBool,
       "false",
       0,
       0,
       {},
       "the copy call returns before the copy is done (from pinned memory)"},
      {"prefetch_factor",
       "loader",
       "prefetch_factor",
       kInteger,
       "2",
       0,
       4096,
       {},
       "batches in flight per worker; with 0 a cell fails, as in PyTorch"},
      {"drop_last",
       "loader",
       "drop_last",
       kBool,
       "false",
       0,
       0,
       {},
       "leave an incomplete last batch out"},
      {"batch_size", "loader", "batch_size", kInteger, "64", 1, kMany, {}, "samples a batch"},
      {"format",
       "dataset",
       "format",
       kText,
       "",
       0,
       0,
       {},
       "storage format; converted once if the dataset is in another"},
      {"shuffle", "loader", "shuffle", kBool, "false", 0, 0, {}, "a new random order each epoch"},
      {"in_order",
       "loader",
       "in_order",
       kBool,
       "true",
       0,
       0,
       {},
       "batches in the sampler's order; false: as they complete"},
      {"timeout",
       "loader",
       "timeout",
       kNumber,
       "0",
       0,
       1e7,
       {},
       "seconds that a batch may take before the cell fails; 0: any"},
      {"worker_type",
       "loader",
       "worker_type",
       kText,
       "process",
       0,
       0,
       {"process", "thread"},
       "what a worker is; PyTorch's are processes"},
      {"multiprocessing_context",
       "loader",
       "multiprocessing_context",
       kText,
       "fork",
       0,
       0,
       {"fork", "spawn", "forkserver"},
       "how worker processes start; the native engine forks"},
      {"transport",
       "loader",
       "transport",
       kText,
       "fresh",
       0,
       0,
       {"fresh", "file_system", "ring"},
       "shared memory from worker to trainer: a segment a tensor by descriptor (PyTorch's default) "
       "or "
       "by name, or segments used again (native only)"},
      {"engine",
       "",
       "engine",
       kText,
       "native",
       0,
       0,
       {"native", "torch"},
       "who loads: feedrate itself, or the real DataLoader in a child Python"},
      {"emulate",
       "",
       "emulate",
       kText,
       "",
       0,
       0,
       {},
       "cost profile by `feedrate calibrate` whose costs the native engine adds"},
      {"copy_stream",
       "device",
       "copy_stream",
       kText,
       "same",
       0,
       0,
       {"same", "side"},
       "the CUDA stream of the copy: the step's own, or one beside it"},
      {"loader",
       "loader",
       "kind",
       kText,
       "dataloader",
       0,
       0,
       {"dataloader", "cached"},
       "cached: the mock loader, one ready batch again and again"},
      {"trainer",
       "trainer",
       "kind",
       kText,
       "burn",
       0,
       0,
       {"burn", "discard"},
       "discard: the mock trainer, no copy and no step"},
      {"step_ms",
       "trainer",
       "step_ms",
       kNumber,
       "20",
       0,
       1e7,
       {},
       "duration of the step for reference_batch samples"},
      {"reference_batch",
       "trainer",
       "reference_batch",
       kInteger,
       "0",
       0,
       kMany,
       {},
       "batch size that step_ms is for; 0: the first batch_size of the sweep"},
      {"host_overhead_us",
       "trainer",
       "host_overhead_us",
       kNumber,
       "0",
       0,
       1e9,
       {},
       "the host's own work per step before it launches the kernels"},
      {"sync_every",
       "trainer",
       "sync_every",
       kInteger,
       "1",
       0,
       kMany,
       {},
       "the host waits for the device every n steps, as loss.item() does; 0: never"},
      {"device", "device", "name", kText, "auto", 0, 0, {}, "auto, cuda, cuda:N or sim:PRESET"},
  };
  return rows;
}

[[noreturn]] void refuse(std::string_view where, const std::string& text,
                         std::string_view expected) {
  throw ConfigError(fmt::format("{}: '{}' is not {}", where, text, expected));
}

template <typename Number>
Number parse_number(const std::string& text, std::string_view where, std::string_view expected) {
  Number value{};
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) refuse(where, text, expected);
  return value;
}

void check_range(const Knob& knob, double value, const std::string& text, std::string_view where) {
  if (std::isfinite(value) && value >= knob.least && value <= knob.most) return;
  throw ConfigError(fmt::format("{}: {} is out of range; {} to {} is possible", where, text,
                                knob.least, knob.most));
}

SettingValue parse_text(const Knob& knob, const std::string& text, std::string_view where) {
  try {
    if (knob.name == "format") return std::string(find_format(text).name);
    if (knob.name == "device") return resolve_device_name(text);
  } catch (const ConfigError& error) {
    throw ConfigError(fmt::format("{}: {}", where, error.what()));
  }
  const bool is_free = knob.choices.empty();
  if (!is_free && std::find(knob.choices.begin(), knob.choices.end(), text) == knob.choices.end()) {
    refuse(where, text, fmt::format("one of {}", fmt::join(knob.choices, ", ")));
  }
  return text;
}

}  // namespace

std::span<const Knob> knobs() { return table(); }

const Knob& find_knob(std::string_view name) {
  for (const Knob& knob : table()) {
    if (knob.name == name) return knob;
  }
  std::vector<std::string_view> names;
  for (const Knob& knob : table()) names.push_back(knob.name);
  throw ConfigError(
      fmt::format("{}: no such knob; the knobs are {}", name, fmt::join(names, ", ")));
}

SettingValue parse_knob(const Knob& knob, const std::string& text, std::string_view where) {
  switch (knob.type) {
    case kBool:
      if (text != "true" && text != "false") refuse(where, text, "true or false");
      return text == "true";
    case kInteger: {
      const auto value = parse_number<std::int64_t>(text, where, "a whole number");
      check_range(knob, static_cast<double>(value), text, where);
      return value;
    }
    case kNumber: {
      const auto value = parse_number<double>(text, where, "a number");
      check_range(knob, value, text, where);
      return value;
    }
    case kText:
      break;
  }
  return parse_text(knob, text, where);
}

}  // namespace feedrate
