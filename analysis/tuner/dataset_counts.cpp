// SPDX-License-Identifier: Apache-2.0
#include "analysis/tuner/dataset_counts.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

namespace feedrate {
namespace {

constexpr const char* kDatasetCounts = "dataset_counts ";

bool has_a_file_a_sample(std::string_view format) {
  return format.empty() || format == "folder" || format == "npy" || format == "npz";
}

std::optional<DatasetCounts> counted(const std::string& text) {
  double records = 0.0, bytes = 0.0, files = 0.0;
  std::string word;
  std::istringstream in(text);
  if (!(in >> records >> word >> bytes >> word >> files) || !(records > 0.0)) return std::nullopt;
  // A worker opens a file of many records once.
  constexpr double kMany = 8.0;
  const double share = files / records;
  return DatasetCounts{records, bytes, share * kMany < 1.0 ? 0.0 : share};
}

// Old runs: "16,000 records, 36.4 MB".
std::optional<DatasetCounts> described(std::string text, std::string_view format) {
  text.erase(std::remove(text.begin(), text.end(), ','), text.end());
  double records = 0.0, size = 0.0;
  std::string word, unit;
  std::istringstream in(text);
  if (!(in >> records >> word >> size >> unit) || !(records > 0.0)) return std::nullopt;
  constexpr std::string_view kPrefixes = "BkMGTP";
  const std::size_t power = kPrefixes.find(unit.front());
  if (power == std::string_view::npos) return std::nullopt;
  size *= std::pow(1000.0, static_cast<double>(power));
  return DatasetCounts{records, size, has_a_file_a_sample(format) ? 1.0 : 0.0};
}

}  // namespace

Fact dataset_counts_fact(const std::string& name, double records, double bytes, double files) {
  return {kDatasetCounts + name,
          fmt::format("{:.0f} records {:.0f} bytes {:.0f} files", records, bytes, files)};
}

std::optional<DatasetCounts> dataset_counts(const RunResult& run, const Settings& settings) {
  const std::string format = text_of(settings, "format");
  std::string name = format;
  for (const char* knob : {"chunk", "codec"}) {
    const std::string value = text_of(settings, knob);
    if (!value.empty()) name += fmt::format(" {}={}", knob, value);
  }
  if (text_of(settings, "presampled") == "true") name += " presampled";
  if (const std::string* text = find_fact(run.environment.facts, kDatasetCounts + name))
    return counted(*text);
  const std::string* const text = find_fact(run.environment.facts, "dataset " + name);
  return text == nullptr ? std::nullopt : described(*text, format);
}

}  // namespace feedrate
