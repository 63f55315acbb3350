// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/data_convert.h"

#include <chrono>

#include <fmt/format.h>

#include "datasets/convert.h"
#include "datasets/data_job.h"
#include "datasets/data_text.h"
#include "formats/registry.h"

namespace feedrate {

int run_data_convert(const DataConvertOptions& options, Console& console) {
  const std::string format =
      options.format.empty() ? std::string(guess_format(options.target)) : options.format;
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<RecordReader> source = open_dataset(options.source);
  const ConvertResult converted = convert_dataset(*source, options.target,
                                                  {.format = format,
                                                   .decode_check = options.decode_check,
                                                   .strict = options.strict,
                                                   .chunk = options.chunk,
                                                   .shard_bytes = options.shard_bytes,
                                                   .sample_points = options.sample_points},
                                                  console_job(console, options.threads));
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
