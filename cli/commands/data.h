// SPDX-License-Identifier: Apache-2.0
// feedrate data: makes, converts, describes and compares datasets. `feedrate data COMMAND --help`
// describes the options. Each command prints to the console and returns an exit code.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>

#include "core/host/console.h"
#include "formats/datasets/convert.h"
#include "formats/datasets/synthesize.h"

namespace feedrate {

struct DataMakeOptions {
  std::filesystem::path target;
  std::string format = {};    ///< empty: by the suffix of DST, else folder
  std::string size = {};      ///< WxH, or N for a square; empty: the preset's
  std::string encoding = {};  ///< png or jpeg; empty: the preset's
  MakeOptions make = {};      ///< without size and encoding
  unsigned threads = 0;       ///< 0: one per CPU, as in the others
};

/// Throws ConfigError for invalid options, Cancelled on Ctrl-C; DST then does not exist.
[[nodiscard]] int run_data_make(const DataMakeOptions& options, Console& console);

struct DataConvertOptions {
  std::filesystem::path source;
  std::filesystem::path target;
  ConvertOptions convert = {};  ///< an empty format: by the suffix of DST, else folder
  unsigned threads = 0;
};

/// Names skipped records on stderr; returns kExitOk nevertheless, unless strict. Throws Cancelled
/// on Ctrl-C. After any exception DST does not exist.
[[nodiscard]] int run_data_convert(const DataConvertOptions& options, Console& console);

struct DataInfoOptions {
  std::filesystem::path path;
  std::size_t sample = 1000;  ///< number of records to check, spread over all
};

/// Returns kExitCellFailed if sampled records are damaged; stderr names them.
[[nodiscard]] int run_data_info(const DataInfoOptions& options, Console& console);

struct DataVerifyOptions {
  std::filesystem::path a;
  std::filesystem::path b;
  unsigned threads = 0;
};

/// Returns kExitOk if all records deliver identical bytes or pixels with the same labels, else
/// kExitCellFailed.
[[nodiscard]] int run_data_verify(const DataVerifyOptions& options, Console& console);

}  // namespace feedrate
