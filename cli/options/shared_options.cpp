// SPDX-License-Identifier: Apache-2.0
#include "cli/options/shared_options.h"

#include <cstdlib>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "analysis/report/foreign_table.h"
#include "formats/registry.h"

namespace feedrate {

// CLI11's validator names the largest double when it refuses 0, and accepts what exceeds 64 bits.
CLI::Option* require_positive(CLI::Option* option, double most) {
  return option->check(CLI::Validator(
      [most](const std::string& text) {
        const double value = std::strtod(text.c_str(), nullptr);
        return value >= 1.0 && value <= most
                   ? std::string()
                   : fmt::format("{}: must be between 1 and {:.0f}", text, most);
      },
      ""));
}

CLI::Option* as_seconds(CLI::Option* option) {
  const std::map<std::string, double> units{{"s", 1.0}, {"m", 60.0}, {"min", 60.0}, {"h", 3600.0}};
  return option->transform(CLI::AsNumberWithUnit(units).description(""))
      ->check(in_range(1.0, 1e7))
      ->type_name("TIME");
}

// CLI11's validator accepts NaN.
CLI::Validator in_range(double least, double most) {
  return {[=](const std::string& text) {
            char* end = nullptr;
            const double value = std::strtod(text.c_str(), &end);
            const bool is_in = *end == '\0' && value >= least && value <= most;
            return is_in ? std::string()
                         : fmt::format("{}: must be between {} and {}", text, least, most);
          },
          ""};
}

CLI::Validator not_empty() {
  return {[](const std::string& text) {
            return text.empty() ? std::string("must not be empty") : std::string();
          },
          ""};
}

void add_cell_timeout(CLI::App& command, std::optional<double>& seconds) {
  as_seconds(command.add_option("--cell-timeout", seconds,
                                "time limit of a repeat, after which the cell fails: 60s, 10m; "
                                "default: from the file, else 10m"));
}

CLI::Option* add_force(CLI::App& command, bool& force) {
  return command.add_flag("--force", force, "overwrite the results in the output folder");
}

void add_foreign_table(CLI::App& command, std::optional<ForeignColumns>& table) {
  const auto columns = [&table]() -> ForeignColumns& {
    if (!table) table.emplace();
    return *table;
  };
  command
      .add_option_function<std::string>(
          "--columns", [columns](const std::string& text) { columns().named = text; },
          "read `run` as a CSV of another program, and map its columns to feedrate's: "
          "workers=num_workers,pin=pin_memory,seconds=epoch_time; knobs, metrics of "
          "`feedrate columns`, and epoch_time, which needs --given samples=N")
      ->type_name("THEIRS=OURS,…");
  command
      .add_option_function<std::string>(
          "--given", [columns](const std::string& text) { columns().given = text; },
          "values common to all rows of such a table: batch_size=256,samples=50000")
      ->type_name("NAME=VALUE,…");
}

CLI::Validator share_validator() {
  return {[](std::string& text) {
            if (!text.ends_with('%')) return std::string();
            text.pop_back();
            char* end = nullptr;
            const double percent = std::strtod(text.c_str(), &end);
            if (text.empty() || *end != '\0') return text + "%: not a number";
            text = fmt::format("{}", percent / 100.0);
            return std::string();
          },
          ""};
}

std::string format_names() {
  std::string names;
  for (const Format& format : formats())
    names += fmt::format("{}{}", names.empty() ? "" : ", ", format.name);
  return names;
}

}  // namespace feedrate
