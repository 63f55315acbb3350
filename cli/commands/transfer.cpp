// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/transfer.h"

#include <sstream>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "analysis/report/load_run.h"
#include "analysis/report/transfer_print.h"
#include "cli/output_file.h"
#include "cli/terminal_width.h"
#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

// Skipped cells would appear between measured ones.
void choose_cells(RunResult& a, RunResult& b, const std::vector<std::string>& only) {
  if (only.empty()) return;
  a = cells_with(std::move(a), only);
  for (RunResult* run : {&a, &b}) {
    std::erase_if(run->cells,
                  [](const CellResult& cell) { return cell.outcome == Outcome::kSkipped; });
  }
}

Transfer transfer_of_one(const TransferCommandOptions& options) {
  DividedRun divided = divide_run(load_run(options.a), options.by);
  choose_cells(divided.a, divided.b, options.only);
  const std::string knob = options.by.substr(0, options.by.find('='));
  TransferOptions settings;
  settings.ignored = options.ignored;
  settings.label_a = fmt::format("{}, {}={}", options.a.string(), knob, divided.value_a);
  settings.label_b = fmt::format("{}, {}={}", options.a.string(), knob, divided.value_b);
  Transfer transfer = transfer_between(divided.a, divided.b, settings);
  transfer.undivided = divided.undivided;
  return transfer;
}

Transfer transfer_of_two(const TransferCommandOptions& options) {
  TransferOptions settings;
  settings.ignored = options.ignored;
  settings.label_a = options.a.string();
  settings.label_b = options.b.string();
  RunResult a = load_run(options.a);
  RunResult b = load_run(options.b);
  choose_cells(a, b, options.only);
  return transfer_between(a, b, settings);
}

void check(const TransferCommandOptions& options) {
  if (options.by.empty() && options.b.empty()) {
    throw ConfigError(
        "compare --transfer: needs a second result, or --by to split the first, such as --by "
        "engine");
  }
  if (!options.by.empty() && !options.b.empty()) {
    throw ConfigError("compare --transfer: --by splits one result; omit the second one");
  }
}

}  // namespace

int run_transfer(const TransferCommandOptions& options, Console& console) {
  check(options);
  require_output_is_no_input(options.csv, "--csv", {options.a, options.b});
  const Transfer transfer =
      options.by.empty() ? transfer_of_two(options) : transfer_of_one(options);
  print_transfer(console.out, transfer,
                 options.markdown ? TableStyle::kMarkdown : TableStyle::kTerminal,
                 options.markdown ? 0 : terminal_width());
  if (transfer.cells.empty()) {
    console.err << fmt::format(
        "feedrate: {} and {} have no measured cell in common; cells are matched by all settings "
        "that both have, and --ignore excludes settings\n",
        transfer.label_a, transfer.label_b);
    return kExitUsage;
  }
  if (!options.csv.empty()) {
    std::ostringstream text;
    write_transfer_csv(text, transfer);
    replace_file(options.csv, text.str());
  }
  return kExitOk;
}

}  // namespace feedrate
