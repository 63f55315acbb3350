// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/export.h"

#include <sstream>

#include "analysis/report/csv.h"
#include "analysis/report/google_benchmark.h"
#include "analysis/report/load_run.h"
#include "cli/output_file.h"
#include "core/host/durable_file.h"

namespace feedrate {

int run_export(const ExportOptions& options, Console& console) {
  require_output_is_no_input(options.out, "--out", {options.run});
  const RunResult run = load_run(options.run);
  std::ostringstream text;
  options.format == "csv" ? write_cells_csv(text, run) : write_google_benchmark(text, run);
  if (options.out.empty()) {
    console.out << text.str();
  } else {
    replace_file(options.out, text.str());
  }
  return kExitOk;
}

}  // namespace feedrate
