// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <sys/wait.h>

#include "bench/engines/torch/runtime.h"
#include "cli/commands/data.h"
#include "core/error.h"
#include "core/host/file.h"
#include "core/host/process.h"
#include "formats/datasets/data_job.h"
#include "formats/datasets/data_text.h"
#include "formats/registry.h"
#include "formats/staging.h"

namespace feedrate {
namespace {

// Python packages write these formats: python/feedrate/adapters has a module per name.
constexpr std::array<std::string_view, 3> kPythonFormats{"lance", "mds", "parquet"};

bool is_python_format(std::string_view format) {
  return std::find(kPythonFormats.begin(), kPythonFormats.end(), format) != kPythonFormats.end();
}

std::string format_of(const DataConvertOptions& options) {
  if (!options.convert.format.empty()) return options.convert.format;
  const std::string suffix = options.target.extension().string();
  if (!suffix.empty() && is_python_format(suffix.substr(1))) return suffix.substr(1);
  return std::string(guess_format(options.target));
}

// The package writes next to the target; the result is published once it was read back.
int convert_in_python(const DataConvertOptions& options, const std::string& format,
                      Console& console) {
  Staging staging(options.target);
  const std::unique_ptr<RecordReader> source = open_dataset(options.source);
  const std::string of_source(source->format());
  const TorchRuntime runtime = find_torch({}, std::chrono::minutes(2), console.stop);
  ChildProcess python({.words = {runtime.interpreter.string(), "-m", "feedrate.adapters.convert",
                                 options.source.string(), of_source, staging.draft().string(),
                                 format, staging.target().string()},
                       .environment = {{"PYTHONPATH", runtime.package->folder().string()}}});
  while (!python.wait(std::chrono::milliseconds(50))) {
    if (console.stop.stop_requested()) python.send_signal(SIGINT);
  }
  if (console.stop.stop_requested()) throw Cancelled();
  const int status = python.end();
  if (WIFSIGNALED(status)) console.err << "data convert: python3 " << describe_end(status) << '\n';
  if (status != 0) return kExitCellFailed;
  sync_filesystem(staging.draft());
  staging.publish();
  console.out << fmt::format("{}: {} records of {} ({}), as {}; pixels and labels verified\n",
                             staging.target().string(), count_text(source->size()),
                             options.source.string(), of_source, format);
  return kExitOk;
}

}  // namespace

int run_data_convert(const DataConvertOptions& options, Console& console) {
  const std::string format = format_of(options);
  if (is_python_format(format)) return convert_in_python(options, format, console);
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<RecordReader> source = open_dataset(options.source);
  ConvertOptions convert = options.convert;
  convert.format = format;
  const ConvertResult converted =
      convert_dataset(*source, options.target, convert, console_job(console, options.threads));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  list_records(console.err, "skipped", converted.skipped);
  if (const std::string left_out = source->left_out(); !left_out.empty()) {
    console.err << left_out_text(options.source, left_out) << '\n';
  }
  console.out << fmt::format(
      "{}: {} of {} records of {} ({}), {}, {} each on average, as {}, in {}\n",
      options.target.string(), count_text(converted.records), count_text(source->size()),
      options.source.string(), source->format(), bytes_text(static_cast<double>(converted.bytes)),
      bytes_text(static_cast<double>(converted.bytes) / static_cast<double>(converted.records)),
      format, format_value(took.count(), Unit::kSeconds));
  return kExitOk;
}

}  // namespace feedrate
