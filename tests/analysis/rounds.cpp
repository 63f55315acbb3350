// SPDX-License-Identifier: Apache-2.0
#include "tests/analysis/rounds.h"

#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <vector>

namespace feedrate {
namespace {

std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

SettingValue setting_of(const std::string& text) {
  if (text == "True" || text == "False") return text == "True";
  if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) {
    return std::int64_t{std::stoll(text)};
  }
  return text;
}

}  // namespace

void add_start(CellResult& cell, std::size_t round, double rate) {
  cell.outcome = Outcome::kOk;
  cell.repeats.push_back({.metrics = {{"samples_per_second", rate}}, .round = round});
  double sum = 0.0;
  for (const Repeat& start : cell.repeats) sum += start.metrics.front().value;
  std::erase_if(cell.metrics, [](const Metric& one) { return one.tag == "samples_per_second"; });
  cell.metrics.push_back({"samples_per_second", sum / static_cast<double>(cell.repeats.size())});
}

RunResult recorded_run(const std::string& name) {
  const auto path = std::filesystem::path(FEEDRATE_SOURCE_DIR) / "tests/golden/noise" / name;
  std::ifstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be read");
  std::string line;
  std::getline(file, line);
  const std::vector<std::string> head = fields_of(line);
  RunResult run;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = fields_of(line);
    const auto index = static_cast<std::size_t>(std::stoul(fields[0]));
    if (index >= run.cells.size()) run.cells.resize(index + 1);
    CellResult& cell = run.cells[index];
    cell.index = index;
    cell.settings.clear();
    std::size_t at = 2;
    for (; head[at] != "samples_per_second"; ++at) {
      cell.settings.push_back({head[at], setting_of(fields[at])});
    }
    add_start(cell, std::stoul(fields[1]) - 1, std::stod(fields[at]));
    cell.metrics.push_back({"memory", std::stod(fields[at + 2])});
  }
  std::erase_if(run.cells, [](const CellResult& cell) { return cell.repeats.empty(); });
  return run;
}

}  // namespace feedrate
