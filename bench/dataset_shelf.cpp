#include "bench/dataset_shelf.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "bench/commands/data_job.h"
#include "bench/commands/data_text.h"
#include "bench/datasets/cache.h"
#include "bench/datasets/synthesize.h"
#include "core/error.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

std::set<std::string> wanted_formats(const std::vector<Cell>& plan) {
  std::set<std::string> formats;
  for (const Cell& cell : plan) {
    if (!cell.skip_reason.empty()) continue;
    formats.insert(std::get<std::string>(*find_setting(cell.settings, "format")));
  }
  if (formats.size() > 1) formats.erase("");  // The mock loader's, which takes any.
  return formats;
}

void create_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return;
  throw ConfigError(fmt::format(
      "{}: cannot be created for the dataset: {}; dataset.path must name a place to write to",
      folder.string(), error.message()));
}

std::string what_to_make(const MakeOptions& make) {
  const DatasetPlan plan = resolve(make);
  if (!plan.bytes) return fmt::format("{} images like {}", make.count, make.preset);
  const auto mean = static_cast<double>(plan.bytes->mean);
  return fmt::format("{} records of {}, {} in all", make.count, bytes_text(mean),
                     bytes_text(mean * static_cast<double>(make.count)));
}

void make_if_missing(const DatasetConfig& config, Console& console) {
  if (fs::exists(config.path)) return;
  console.err << fmt::format("making {}: {}\n", config.path.string(), what_to_make(*config.make));
  if (config.path.has_parent_path()) create_folder(config.path.parent_path());
  make_dataset(*config.make, config.path, config.make_format, console_job(console));
}

fs::path prepare(const fs::path& source, const std::string& format, Console& console) {
  if (format.empty()) return source;
  const PreparedDataset prepared = prepare_dataset(source, format, console_job(console));
  if (prepared.converted) {
    console.err << fmt::format("converted to {}: {}\n", format, prepared.path.string());
  }
  if (!prepared.skipped.empty()) {
    console.err << fmt::format("{} lacks {} record{} of {} that cannot be decoded, as: {}\n",
                               prepared.path.string(), prepared.skipped.size(),
                               prepared.skipped.size() == 1 ? "" : "s", source.string(),
                               prepared.skipped.front());
  }
  return prepared.path;
}

ShelvedDataset look_at(const fs::path& path) {
  ShelvedDataset shelved;
  shelved.path = path;
  const auto reader = open_dataset(path);
  shelved.records = reader->size();
  for (const fs::path& file : reader->files()) {
    std::error_code unknown;
    const std::uintmax_t size = fs::file_size(file, unknown);
    if (!unknown) shelved.bytes += size;
  }
  return shelved;
}

}  // namespace

void require_dataset(const DatasetConfig& config) {
  if (!fs::exists(config.path)) {
    if (config.make) return;
    throw ConfigError(fmt::format(
        "{}: there is no such dataset; name one of yours in dataset.path, or make one by `feedrate "
        "data make {}`",
        config.path.string(), config.path.string()));
  }
  const bool known = std::any_of(formats().begin(), formats().end(),
                                 [&](const Format& format) { return format.detect(config.path); });
  if (!known) static_cast<void>(open_dataset(config.path));  // It says which are known.
}

std::map<std::string, ShelvedDataset> shelve_datasets(const SweepConfig& config,
                                                      const std::vector<Cell>& plan,
                                                      Console& console) {
  require_dataset(config.dataset);
  make_if_missing(config.dataset, console);
  std::map<std::string, ShelvedDataset> shelf;
  for (const std::string& format : wanted_formats(plan)) {
    ShelvedDataset& shelved = shelf[format];
    shelved.path = config.dataset.path;
    try {
      shelved = look_at(prepare(config.dataset.path, format, console));
    } catch (const FormatError& error) {
      shelved.problem = error.what();
    }
  }
  return shelf;
}

}  // namespace feedrate
