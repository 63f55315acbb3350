#include "report/run_writer.h"

#include <sstream>

#include <fmt/format.h>

#include "core/error.h"
#include "report/best.h"
#include "report/csv.h"
#include "report/durable_file.h"
#include "report/json.h"
#include "report/table.h"

namespace feedrate {
namespace {

constexpr const char* kCellsFile = "cells.csv";
constexpr const char* kJsonFile = "run.json";
constexpr const char* kTableFile = "table.md";

std::string cells_csv(const RunResult& run) {
  std::ostringstream text;
  write_cells_csv(text, run);
  return text.str();
}

std::string run_json(const RunResult& run) {
  std::ostringstream text;
  write_run_json(text, run);
  return text.str();
}

std::string table_markdown(const RunResult& run) {
  std::ostringstream text;
  print_table(text, run, TableStyle::kMarkdown);
  print_best(text, run, TableStyle::kMarkdown);
  return text.str();
}

void create_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  std::error_code unknown;
  if (!std::filesystem::is_directory(folder, unknown)) {
    const std::string why = error ? error.message() : "is not a folder";
    throw ConfigError(fmt::format(
        "{}: cannot be the output folder: {}; name a folder that can be created with --out",
        folder.string(), why));
  }
}

}  // namespace

RunWriter::RunWriter(std::filesystem::path folder) : folder_(std::move(folder)) {
  create_folder(folder_);
  try {
    for (const char* const name : {kCellsFile, kJsonFile, kTableFile}) touch_file(folder_ / name);
  } catch (const SystemError& error) {
    throw ConfigError(fmt::format("{}: cannot be written to ({}); name another folder with --out",
                                  folder_.string(), error.what()));
  }
}

void RunWriter::write(const RunResult& run) const {
  replace_file(folder_ / kJsonFile, run_json(run));
  replace_file(folder_ / kCellsFile, cells_csv(run));
  replace_file(folder_ / kTableFile, table_markdown(run));
}

}  // namespace feedrate
