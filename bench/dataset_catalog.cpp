// SPDX-License-Identifier: Apache-2.0
#include "bench/dataset_catalog.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "bench/plan/cell_spec.h"
#include "core/error.h"
#include "core/format.h"
#include "core/host/file_lock.h"
#include "formats/datasets/cache.h"
#include "formats/datasets/data_job.h"
#include "formats/datasets/data_text.h"
#include "formats/datasets/synthesize.h"
#include "formats/registry.h"
#include "formats/storage.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::set<DatasetCopy> wanted_datasets(const std::vector<Cell>& plan) {
  std::set<DatasetCopy> datasets;
  for (const Cell& cell : plan) {
    if (!cell.skip_reason.empty()) continue;
    datasets.insert(copy_of(read_settings(cell.settings)));
  }
  const bool any_named =
      std::any_of(datasets.begin(), datasets.end(),
                  [](const DatasetCopy& wanted) { return !wanted.format.empty(); });
  if (any_named) datasets.erase(DatasetCopy{});  // the mock loader's copy, which takes any format
  return datasets;
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  throw ConfigError(
      fmt::format("{}: cannot be created for the dataset: {}; dataset.path must be writable",
                  folder.string(), error.message()));
}

std::string what_to_make(const MakeOptions& make) {
  const DatasetPlan plan = resolve(make);
  if (!plan.opaque) return fmt::format("{} images like {}", make.count, make.preset);
  const double mean = mean_bytes(*plan.opaque);
  return fmt::format("{} records of {}, {} in all", make.count, bytes_text(mean),
                     bytes_text(mean * static_cast<double>(make.count)));
}

// Several nodes may start the same sweep. Without support of the file system nothing is locked.
std::optional<FileLock> lock_beside(const fs::path& dataset, const std::stop_token& stop) try {
  const fs::path folder = fs::absolute(dataset).parent_path();
  const std::string name = fmt::format(".{}.making", dataset.filename().string());
  return std::optional<FileLock>(std::in_place, folder / name / "lock", stop);
} catch (const SystemError&) {
  return std::nullopt;
}

void make_if_missing(const DatasetConfig& config, Console& console) {
  if (is_there(config.path)) return;
  if (config.path.has_parent_path()) create_folder(config.path.parent_path());
  const std::optional<FileLock> lock = lock_beside(config.path, console.stop);
  if (is_there(config.path)) return;
  console.err << fmt::format("making {}: {}\n", config.path.string(), what_to_make(*config.make));
  make_dataset(*config.make, config.path, config.make_format, console_job(console));
}

PreparedDataset prepare(const SweepConfig& config, const DatasetCopy& wanted, Console& console) {
  const fs::path& source = config.dataset.path;
  if (wanted.format.empty() && !wanted.presampled) {
    return {.path = source, .left_out = open_dataset(source)->left_out()};
  }
  const std::string format =
      wanted.format.empty() ? std::string(open_dataset(source)->format()) : wanted.format;
  PreparedDataset prepared = prepare_dataset(
      source, format, console_job(console),
      {.sample_points = wanted.presampled ? config.pipeline.sample_points : std::nullopt,
       .chunk = wanted.chunk,
       .codec = wanted.codec});
  if (prepared.converted) {
    console.err << fmt::format("converted to {}: {}\n", format, prepared.path.string());
  }
  return prepared;
}

std::string warning_about(const PreparedDataset& prepared, const fs::path& source) {
  return fmt::format(
      "{} lacks {} record{} of {} that cannot be decoded; its cells load different data. The "
      "first: {}",
      prepared.path.string(), prepared.skipped.size(), prepared.skipped.size() == 1 ? "" : "s",
      source.string(), prepared.skipped.front());
}

SweepDataset inspect(const fs::path& path) {
  SweepDataset prepared;
  prepared.path = path;
  const auto reader = open_dataset(path);
  prepared.records = reader->size();
  const std::vector<fs::path> files = reader->files();
  prepared.files = files.size();
  for (const fs::path& file : files) {
    std::error_code unknown;
    const std::uintmax_t size = fs::file_size(file, unknown);
    if (!unknown) prepared.bytes += size;
  }
  return prepared;
}

SweepDataset inspect_wanted(const SweepConfig& config, const DatasetCopy& wanted, Console& console,
                            std::vector<std::string>& warnings) {
  try {
    const PreparedDataset prepared = prepare(config, wanted, console);
    if (!prepared.skipped.empty()) {
      warnings.push_back(warning_about(prepared, config.dataset.path));
      console.err << warnings.back() << '\n';
    }
    SweepDataset dataset = inspect(prepared.path);
    dataset.left_out = prepared.left_out;
    dataset.skipped = prepared.skipped.size();
    return dataset;
  } catch (const FormatError& error) {
    SweepDataset damaged;
    damaged.path = config.dataset.path;
    damaged.problem = error.what();
    return damaged;
  }
}

SweepDataset stage(SweepDataset prepared, StagingMode staging, const fs::path& folder,
                   Console& console) {
  if (!prepared.problem.empty()) return prepared;
  const fs::path staging_folder = folder.empty() ? default_staging_folder(staging) : folder;
  try {
    StagedDataset staged =
        stage_dataset(prepared.path, staging, staging_folder, console_job(console));
    console.err << fmt::format("staged {} in {}: {} in {}\n", prepared.path.string(),
                               staging_folder.string(),
                               bytes_text(static_cast<double>(staged.bytes)),
                               format_value(staged.seconds, Unit::kSeconds));
    prepared.path = staged.path;
    prepared.staged = std::move(staged);
  } catch (const Cancelled&) {
    throw;
  } catch (const Error& error) {
    prepared.problem = fmt::format("dataset.staging {}: {}", to_string(staging), error.what());
    console.err << fmt::format("{} was not staged: {}\n", prepared.path.string(), error.what());
  }
  return prepared;
}

void require_same_records(const DatasetConfig& config,
                          const std::map<std::string, SweepDataset>& catalog) {
  if (catalog.size() < 2) return;
  for (const auto& [name, copy] : catalog) {
    if (copy.skipped == 0) continue;
    throw ConfigError(
        fmt::format("{0}: {1} record{2} cannot be decoded, so the copy in format {3} holds "
                    "different records, and formats cannot be compared; remove them with `feedrate "
                    "data convert {0} CLEAN`, and set dataset.path to CLEAN",
                    config.path.string(), copy.skipped, copy.skipped == 1 ? "" : "s", name));
  }
}

}  // namespace

void require_dataset(const DatasetConfig& config) {
  if (!is_there(config.path)) {
    if (config.make) return;
    throw ConfigError(
        fmt::format("{}: no such dataset; set dataset.path to an existing dataset, or make one "
                    "with `feedrate data make {}`",
                    config.path.string(), config.path.string()));
  }
  const bool known = std::any_of(formats().begin(), formats().end(),
                                 [&](const Format& format) { return format.detect(config.path); });
  if (!known) static_cast<void>(open_dataset(config.path));  // its error lists the known formats
}

std::map<std::string, SweepDataset> prepare_datasets(const SweepConfig& config,
                                                     const std::vector<Cell>& plan,
                                                     Console& console,
                                                     std::vector<std::string>& warnings) {
  require_dataset(config.dataset);
  make_if_missing(config.dataset, console);
  std::map<std::string, SweepDataset> catalog;
  const std::set<DatasetCopy> all = wanted_datasets(plan);
  for (const DatasetCopy& wanted : all) {
    if (wanted.staging != StagingMode::kNone) continue;
    catalog[catalog_name(wanted)] = inspect_wanted(config, wanted, console, warnings);
  }
  require_same_records(config.dataset, catalog);
  // staged last, to leave space for conversions
  for (const DatasetCopy& wanted : all) {
    if (wanted.staging == StagingMode::kNone) continue;
    DatasetCopy in_place = wanted;
    in_place.staging = StagingMode::kNone;
    const auto known = catalog.find(catalog_name(in_place));
    SweepDataset source =
        known != catalog.end() ? known->second : inspect_wanted(config, wanted, console, warnings);
    catalog[catalog_name(wanted)] =
        stage(std::move(source), wanted.staging, config.dataset.staging_folder, console);
  }
  return catalog;
}

}  // namespace feedrate
