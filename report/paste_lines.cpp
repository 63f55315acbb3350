#include "report/paste_lines.h"

#include <array>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "report/cell_text.h"

namespace feedrate {
namespace {

std::int64_t workers_of(const CellResult& cell) { return count_of(cell.settings, "num_workers"); }
std::int64_t prefetched_of(const CellResult& cell) {
  return count_of(cell.settings, "device_prefetch");
}
bool has_side_stream(const CellResult& cell) { return setting_text(cell, "copy_stream") == "side"; }
bool is_grouped(const CellResult& cell) { return setting_text(cell, "group_by_length") == "true"; }

std::string python(const SettingValue& value) {
  if (const bool* const flag = std::get_if<bool>(&value)) return *flag ? "True" : "False";
  if (std::holds_alternative<std::string>(value)) return "\"" + to_string(value) + "\"";
  return to_string(value);
}

struct Knob {
  const char* name;
  bool needs_workers;
};

// PyTorch refuses the two that need workers when there are none.
constexpr std::array<Knob, 7> kLoaderKnobs{{{"batch_size", false},
                                            {"shuffle", false},
                                            {"num_workers", false},
                                            {"prefetch_factor", true},
                                            {"pin_memory", false},
                                            {"persistent_workers", true},
                                            {"drop_last", false}}};

bool has_ranks(const CellResult& cell) { return count_of(cell.settings, "ranks") > 1; }

// By the names of Hugging Face's transformers, whose sampler shuffles by itself.
std::string sequence_arguments(const CellResult& cell) {
  const std::string padding = setting_text(cell, "padding");
  std::string text;
  if (is_grouped(cell)) {
    text +=
        fmt::format(", sampler={}LengthGroupedSampler({}, dataset)",
                    has_ranks(cell) ? "Distributed" : "", count_of(cell.settings, "batch_size"));
  }
  if (!padding.empty()) {
    text += fmt::format(", collate_fn=DataCollatorWithPadding(tokenizer, padding=\"{}\"{})",
                        padding, padding == "max_length" ? ", max_length=N" : "");
  }
  return text;
}

// What the line cannot say.
std::string sequence_notes(const CellResult& cell) {
  std::string notes;
  if (setting_text(cell, "padding") == "max_length") {
    notes += "# N is that of transforms: [tokens: N].\n";
  }
  if (is_grouped(cell) && setting_text(cell, "shuffle") == "false") {
    notes += "# LengthGroupedSampler shuffles, which this cell did not: its order is another.\n";
  }
  return notes;
}

// Of several ranks, each of which calls sampler.set_epoch() before an epoch.
std::string sampler_line(const CellResult& cell) {
  if (!has_ranks(cell) || is_grouped(cell)) return {};
  const auto flag = [&](const char* name) {
    return setting_text(cell, name) == "true" ? "True" : "False";
  };
  return fmt::format("sampler = DistributedSampler(dataset, shuffle={}, drop_last={})\n",
                     flag("shuffle"), flag("drop_last"));
}

std::string loader_line(const CellResult& cell) {
  if (setting_text(cell, "loader") == "cached") return {};
  std::string line = sampler_line(cell) + "loader = DataLoader(dataset";
  for (const Knob& knob : kLoaderKnobs) {
    const SettingValue* const value = find_setting(cell.settings, knob.name);
    if (value == nullptr || (knob.needs_workers && workers_of(cell) == 0)) continue;
    if (to_string(*value).empty()) continue;
    const bool has_sampler = is_grouped(cell) || has_ranks(cell);
    if (has_sampler && std::string_view(knob.name) == "shuffle") continue;
    line += fmt::format(", {}={}", knob.name, python(*value));
  }
  line += sequence_arguments(cell);
  if (has_ranks(cell) && !is_grouped(cell)) line += ", sampler=sampler";
  // New in PyTorch 2.6, so it is named only where it matters.
  if (setting_text(cell, "in_order") == "false") line += ", in_order=False";
  return line + ")\n" + sequence_notes(cell);
}

std::string staging_note(const CellResult& cell) {
  const std::string staging = setting_text(cell, "staging");
  if (staging == "copy") return "# Copy the dataset to storage of the node ($TMPDIR) first.\n";
  return staging == "ram" ? "# Copy the dataset to /dev/shm first.\n" : "";
}

std::string copy_lines(const CellResult& cell) {
  if (setting_text(cell, "trainer") == "discard") return {};
  std::string lines;
  if (prefetched_of(cell) > 0) {
    lines = fmt::format(
        "# Issue the copy on a side stream, torch.cuda.Stream(), {} before the step that needs "
        "it.\n",
        prefetched_of(cell) == 1 ? "one batch" : fmt::format("{} batches", prefetched_of(cell)));
  } else if (has_side_stream(cell)) {
    lines =
        "# Issue the copy on a side stream, torch.cuda.Stream(), and let the step wait for it.\n";
  }
  const SettingValue* const non_blocking = find_setting(cell.settings, "non_blocking");
  lines += non_blocking == nullptr
               ? "x = x.to(device)\n"
               : fmt::format("x = x.to(device, non_blocking={})\n", python(*non_blocking));
  return lines;
}

}  // namespace

std::string paste_ready(const CellResult& cell) {
  return staging_note(cell) + loader_line(cell) + copy_lines(cell);
}

}  // namespace feedrate
