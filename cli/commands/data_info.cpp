// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "bench/plan/values.h"
#include "cli/commands/data.h"
#include "core/statistics.h"
#include "formats/datasets/data_job.h"
#include "formats/datasets/data_text.h"
#include "formats/datasets/summary.h"
#include "formats/registry.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

void print_row(std::ostream& out, std::string_view name, const std::string& text) {
  out << fmt::format("  {:<9} {}\n", name, text);
}

std::string encodings(const DatasetSummary& summary) {
  std::string text;
  const auto add = [&](std::size_t count, std::string_view name) {
    if (count == 0) return;
    text += fmt::format(
        "{}{} {}", text.empty() ? "" : ", ", name,
        format_value(static_cast<double>(count) / static_cast<double>(summary.record_bytes.size()),
                     Unit::kRatio));
  };
  add(summary.jpeg, "JPEG");
  add(summary.png, "PNG");
  add(summary.pixels, "pixels");
  add(summary.bytes, "opaque bytes");
  return text;
}

std::string sizes(const DatasetSummary& summary) {
  const ImageShape& first = summary.first;
  if (summary.smallest == summary.largest) {
    return fmt::format("all {}×{} (width × height)", first.width, first.height);
  }
  return fmt::format("first {}×{}, width {} to {}, height {} to {}", first.width, first.height,
                     summary.smallest.width, summary.largest.width, summary.smallest.height,
                     summary.largest.height);
}

std::string label_name(const RecordReader& reader, std::int64_t label) {
  const auto& names = reader.class_names();
  if (label == kNoLabel) return "no label";
  if (label < 0 || static_cast<std::size_t>(label) >= names.size()) return std::to_string(label);
  return names[static_cast<std::size_t>(label)];
}

std::string classes(const RecordReader& reader, const DatasetSummary& summary) {
  constexpr std::size_t kMaxListed = 5;
  std::vector<std::pair<std::int64_t, std::size_t>> labels(summary.labels.begin(),
                                                           summary.labels.end());
  std::stable_sort(labels.begin(), labels.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::string text = reader.class_names().empty()
                         ? std::string("unnamed")
                         : fmt::format("{} named", count_text(reader.class_names().size()));
  for (std::size_t i = 0; i < labels.size() && i < kMaxListed; ++i) {
    text += fmt::format("{} {} {}", i == 0 ? ":" : ",", label_name(reader, labels[i].first),
                        count_text(labels[i].second));
  }
  return text + (labels.size() > kMaxListed ? ", …" : "");
}

bool is_plain_yaml(std::string_view path) {
  return std::all_of(path.begin(), path.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("/._-").find(c) != std::string_view::npos;
  });
}

void print(std::ostream& out, const RecordReader& reader, const std::string& path,
           const DatasetSummary& summary) {
  out << path << '\n';
  print_row(out, "format", fmt::format("{} ({})", reader.format(), reader.layout()));
  print_row(out, "records", count_text(reader.size()));
  print_row(out, "files",
            fmt::format("{}, {}", count_text(summary.files),
                        bytes_text(static_cast<double>(summary.file_bytes))));
  if (const std::string left_out = reader.left_out(); !left_out.empty()) {
    print_row(out, "skipped", left_out);
  }
  const bool all = summary.sampled == reader.size();
  out << (all ? std::string("All records:\n")
              : fmt::format("A sample of {} records:\n", count_text(summary.sampled)));
  if (!summary.record_bytes.empty()) {
    print_row(out, "encoding", encodings(summary));
    if (summary.bytes == 0) print_row(out, "images", sizes(summary));
    print_row(out, "bytes",
              fmt::format("mean {}, median {}", bytes_text(mean(summary.record_bytes)),
                          bytes_text(median(summary.record_bytes))));
    print_row(out, "classes", classes(reader, summary));
  }
  if (!summary.problems.empty()) print_row(out, "damaged", count_text(summary.problems.size()));
  // a format in the configuration asks for a conversion, which needs local files
  const std::string format = is_remote(path) ? "" : fmt::format(", format: {}", reader.format());
  out << fmt::format("In a configuration:\n  dataset: {{path: {}{}}}\n",
                     is_plain_yaml(path) ? path : quoted_yaml(path), format);
}

}  // namespace

int run_data_info(const DataInfoOptions& options, Console& console) {
  const std::unique_ptr<RecordReader> reader = open_dataset(options.path);
  const DatasetSummary summary = summarize_dataset(*reader, options.sample, console_job(console));
  list_records(console.err, "damaged", summary.problems);
  print(console.out, *reader, options.path.string(), summary);
  return summary.problems.empty() ? kExitOk : kExitCellFailed;
}

}  // namespace feedrate
