// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/config.h"

#include <algorithm>

#include <fmt/format.h>

#include "bench/plan/config_sections.h"
#include "bench/plan/dlio.h"
#include "bench/plan/knobs.h"
#include "bench/plan/values.h"
#include "core/error.h"
#include "core/host/durable_file.h"
#include "core/parse_number.h"
#include "core/utf8.h"
#include "formats/remote/remote_path.h"

namespace feedrate {
namespace {

const ConfigNode& section_of(const ConfigNode& root, std::string_view name) {
  static const ConfigNode nothing;
  if (name.empty()) return root;
  const ConfigNode* section = root.find(name);
  return section ? *section : nothing;
}

std::vector<std::string_view> keys_of(std::string_view section,
                                      std::vector<std::string_view> others) {
  for (const Knob& knob : knobs()) {
    if (knob.section == section) others.push_back(knob.key);
  }
  return others;
}

std::string place_of(const Knob& knob) {
  return fmt::format("{}{}{}", knob.section, knob.section.empty() ? "" : ".", knob.key);
}

std::vector<const ConfigNode*> values_of(const ConfigNode& node, std::string_view key) {
  if (node.kind != ConfigNode::Kind::kList) return {&node};
  if (node.items.empty())
    throw config_error(node, key, "is an empty list; must have at least one value");
  std::vector<const ConfigNode*> values;
  for (const ConfigNode& item : node.items) values.push_back(&item);
  return values;
}

// The values of a knob whose value is a list: a list is one value, a list of lists several.
std::vector<const ConfigNode*> lists_of(const ConfigNode& node, std::string_view key) {
  const bool is_nested = node.kind == ConfigNode::Kind::kList && !node.items.empty() &&
                         node.items.front().kind == ConfigNode::Kind::kList;
  return is_nested ? values_of(node, key) : std::vector<const ConfigNode*>{&node};
}

std::string list_text(const ConfigNode& node, std::string_view key) {
  if (node.kind != ConfigNode::Kind::kList) return text_value(node, key);
  std::string text;
  for (const ConfigNode& item : node.items) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", text_value(item, key));
  }
  return text;
}

// Recognizes "pin_memory=true,…": no knob's value begins with another knob's name and '='.
bool names_a_knob(std::string_view text) {
  const std::string_view name = text.substr(0, text.find('='));
  return name.size() < text.size() &&
         std::any_of(knobs().begin(), knobs().end(),
                     [&](const Knob& knob) { return knob.name == name; });
}

void add_value(Axis& axis, SettingValue value, std::string_view where) {
  if (std::find(axis.values.begin(), axis.values.end(), value) != axis.values.end()) {
    throw ConfigError(fmt::format("{}: {} is listed twice", where, to_string(value)));
  }
  axis.values.push_back(std::move(value));
}

Axis fallback_axis(const Knob& knob) {
  const std::string fallback(knob.fallback);
  const bool nothing = fallback.empty();
  return {std::string(knob.name),
          {nothing ? SettingValue(fallback) : parse_knob(knob, fallback, knob.name)}};
}

std::string knob_text(const Knob& knob, const ConfigNode& value, const std::string& key) {
  if (knob.takes_null && value.kind == ConfigNode::Kind::kNothing) return "null";
  return knob.is_list ? list_text(value, key) : text_value(value, key);
}

Axis read_axis(const Knob& knob, const ConfigNode& root) {
  const ConfigNode* node = section_of(root, knob.section).find(knob.key);
  if (!node) return fallback_axis(knob);
  const std::string key = place_of(knob);
  Axis axis{std::string(knob.name), {}};
  for (const ConfigNode* value : knob.is_list ? lists_of(*node, key) : values_of(*node, key)) {
    const std::string where = fmt::format("{}:{}: {}", *value->file, value->line, key);
    add_value(axis, parse_knob(knob, knob_text(knob, *value, key), where), where);
  }
  return axis;
}

DatasetConfig read_dataset(const ConfigNode& root, const std::string& file) {
  const ConfigNode& section = section_of(root, "dataset");
  check_keys(
      section, "dataset",
      keys_of("dataset", {"path", "make", "skip_damaged", "staging_folder", "torch", "args", "axes",
                          "variants", "sampler", "batch_sampler", "collate_fn", "worker_init_fn"}));
  DatasetConfig config;
  config.module_folders = {std::filesystem::path(file).parent_path(), "."};
  if (config.module_folders.front().empty())
    config.module_folders.erase(config.module_folders.begin());
  config.own = parse_own_datasets(section);
  if (config.is_own()) return config;
  const ConfigNode* path = section.find("path");
  if (!path) {
    throw ConfigError(fmt::format(
        "{}: dataset.path: is missing; must be a folder of images or a dataset file", file));
  }
  config.path = text_value(*path, "dataset.path");
  read_make(section, config);
  if (is_remote(config.path.native()) && config.make) {
    throw ConfigError(
        fmt::format("{}: dataset.make: cannot be made on a server; make the dataset "
                    "locally and copy it to {}",
                    file, config.path.string()));
  }
  if (const ConfigNode* folder = section.find("staging_folder")) {
    config.staging_folder = text_value(*folder, "dataset.staging_folder");
  }
  if (const ConfigNode* skip = section.find("skip_damaged")) {
    config.skip_damaged = bool_value(*skip, "dataset.skip_damaged");
  }
  return config;
}

void read_count(const ConfigNode& section, std::string_view name, std::string_view key,
                std::int64_t least, std::size_t& target) {
  if (const ConfigNode* node = section.find(key)) {
    target = static_cast<std::size_t>(
        integer_value(*node, fmt::format("{}.{}", name, key), least, kMany));
  }
}

ProfileSchedule read_schedule(const ConfigNode& section) {
  check_keys(section, "measure.profile", {"wait", "warmup", "active", "repeat"});
  ProfileSchedule schedule;
  read_count(section, "measure.profile", "wait", 0, schedule.wait);
  read_count(section, "measure.profile", "warmup", 0, schedule.warmup);
  read_count(section, "measure.profile", "active", 1, schedule.active);
  read_count(section, "measure.profile", "repeat", 0, schedule.repeat);
  return schedule;
}

MeasureConfig read_measure(const ConfigNode& section) {
  check_keys(section, "measure",
             {"steps", "warmup", "repeats", "tolerance", "budget_s", "epochs", "seed",
              "cell_timeout_s", "profile", "limits", "memory_guard", "monitor", "au_threshold"});
  MeasureConfig config;
  read_count(section, "measure", "steps", 1, config.steps);
  read_count(section, "measure", "warmup", 0, config.warmup);
  if (const ConfigNode* repeats = section.find("repeats")) {
    const std::string& text = text_value(*repeats, "measure.repeats");
    config.repeats = parse_repeats(text, config_error(*repeats, "measure.repeats", text).what());
  }
  if (const ConfigNode* tolerance = section.find("tolerance")) {
    config.tolerance = number_value(*tolerance, "measure.tolerance", 0.0, 0.99);
  }
  if (const ConfigNode* budget = section.find("budget_s")) {
    config.budget = from_seconds(number_value(*budget, "measure.budget_s", 0.0, 1e7));
  }
  read_count(section, "measure", "epochs", 0, config.epochs);
  if (const ConfigNode* seed = section.find("seed")) {
    config.seed = static_cast<std::uint64_t>(integer_value(*seed, "measure.seed", 0, INT64_MAX));
  }
  if (const ConfigNode* timeout = section.find("cell_timeout_s")) {
    config.cell_timeout =
        from_seconds(number_value(*timeout, "measure.cell_timeout_s", 0.001, 1e7));
  }
  if (const ConfigNode* profile = section.find("profile")) config.profile = read_schedule(*profile);
  if (const ConfigNode* limits = section.find("limits")) {
    config.limits = bool_value(*limits, "measure.limits");
  }
  if (const ConfigNode* threshold = section.find("au_threshold")) {
    config.au_threshold = number_value(*threshold, "measure.au_threshold", 0.0, 1.0);
  }
  if (const ConfigNode* guard = section.find("memory_guard")) {
    config.memory_guard = bool_value(*guard, "measure.memory_guard");
  }
  if (const ConfigNode* monitor = section.find("monitor")) {
    config.monitor = bool_value(*monitor, "measure.monitor");
  }
  return config;
}

void check_sections(const ConfigNode& root) {
  check_keys(root, "",
             keys_of("", {"dataset", "pipeline", "loader", "device", "trainer", "job", "measure"}));
  check_keys(section_of(root, "loader"), "loader", keys_of("loader", {"max_workers_per_cpu"}));
  check_keys(section_of(root, "device"), "device", keys_of("device", {}));
  check_keys(section_of(root, "trainer"), "trainer", keys_of("trainer", {}));
  check_keys(section_of(root, "job"), "job", keys_of("job", {}));
}

void prefer_all_variants(SweepConfig& config) {
  if (config.set.contains("variant")) return;
  Axis axis{"variant", {}};
  for (const OwnDataset& own : config.dataset.own) axis.values.emplace_back(own.variant);
  const auto same = std::find_if(config.axes.begin(), config.axes.end(),
                                 [&](const Axis& known) { return known.name == axis.name; });
  *same = std::move(axis);
}

void refuse_pipeline(const ConfigNode& root) {
  if (const ConfigNode* pipeline = root.find("pipeline")) {
    throw config_error(*pipeline, "pipeline",
                       "cannot be combined with dataset.torch, whose samples are tensors");
  }
}

// `auto` equals no value: the engine is chosen when it is known what is installed.
void leave_auto_open(SweepConfig& config, Axis& engine) {
  const auto is_auto = [](const SettingValue& value) { return to_string(value) == "auto"; };
  if (std::none_of(engine.values.begin(), engine.values.end(), is_auto)) return;
  if (engine.values.size() > 1) {
    throw ConfigError("engine: auto cannot be one of several; choose native, torch or both");
  }
  config.set.erase(engine.name);
  engine.values = {std::string("native")};
}

void prefer_torch(SweepConfig& config, const char* knob) {
  if (!config.set.contains(knob)) override_axis(config, {knob, {std::string("torch")}});
}

void check_staging_folder(const ConfigNode& root, const SweepConfig& config) {
  const ConfigNode* const folder = section_of(root, "dataset").find("staging_folder");
  if (folder == nullptr) return;
  const auto staging = std::find_if(config.axes.begin(), config.axes.end(),
                                    [](const Axis& axis) { return axis.name == "staging"; });
  const auto has = [&](const char* value) {
    return std::find(staging->values.begin(), staging->values.end(),
                     SettingValue(std::string(value))) != staging->values.end();
  };
  if (!has("copy") || !has("ram")) return;
  throw config_error(*folder, "dataset.staging_folder",
                     "is used for both copy and ram; remove it, or sweep copy and ram separately");
}

std::string first_comment(const std::string& text) {
  const std::string line = text.substr(0, text.find('\n'));
  const std::size_t begin = line.find_first_not_of("# ");
  return line.starts_with('#') && begin != std::string::npos ? line.substr(begin) : std::string();
}

// The config keeps the converted sweep, so that a run resumes without the workload.
SweepConfig parse_dlio(const ConfigNode& root, const std::string& file_name) {
  DlioSweep sweep = sweep_of_dlio(root, std::filesystem::path(file_name).stem().string());
  SweepConfig config = parse_config(sweep.yaml, file_name);
  config.warnings = std::move(sweep.warnings);
  return config;
}

// run.json stores the configuration and holds only UTF-8.
void require_text(const std::string& text, const std::string& file_name) {
  if (is_utf8(text) && text.find('\0') == std::string::npos) return;
  throw ConfigError(
      fmt::format("{}: name or contents are not valid UTF-8 (UTF-16, or a path in another "
                  "encoding); save and name it in UTF-8",
                  file_name));
}

}  // namespace

SweepConfig parse_config(const std::string& text, const std::string& file_name) {
  const ConfigNode root = parse_yaml(text, file_name);
  if (is_dlio_workload(root)) return parse_dlio(root, file_name);
  check_sections(root);
  SweepConfig config;
  config.name = std::filesystem::path(file_name).stem().string();
  config.question = first_comment(text);
  config.text = text;
  config.dataset = read_dataset(root, file_name);
  config.pipeline = parse_pipeline(section_of(root, "pipeline"));
  config.measure = read_measure(section_of(root, "measure"));
  if (const ConfigNode* most = section_of(root, "loader").find("max_workers_per_cpu")) {
    config.max_workers_per_cpu = number_value(*most, "loader.max_workers_per_cpu", 0.01, 1e6);
  }
  for (const Knob& knob : knobs()) {
    config.axes.push_back(read_axis(knob, root));
    if (section_of(root, knob.section).find(knob.key)) config.set.emplace(knob.name);
    if (knob.name == "engine") leave_auto_open(config, config.axes.back());
  }
  check_staging_folder(root, config);
  const bool own_step = config.set.contains("step_factory");
  if (own_step) prefer_torch(config, "trainer");
  if (own_step || config.dataset.is_own()) prefer_torch(config, "engine");
  if (config.dataset.is_own()) {
    refuse_pipeline(root);
    prefer_all_variants(config);
  }
  return config;
}

const OwnDataset& own_dataset(const DatasetConfig& dataset, std::string_view variant) {
  return *std::find_if(dataset.own.begin(), dataset.own.end(),
                       [&](const OwnDataset& own) { return own.variant == variant; });
}

Repeats parse_repeats(std::string_view text, std::string_view where) {
  if (text == "auto") return {};
  const auto count = parse_number<std::int64_t>(text);
  if (!count || *count < 1 || *count > kMany) {
    throw ConfigError(
        fmt::format("{}: must be auto, or a whole number between 1 and {}", where, kMany));
  }
  return {static_cast<std::size_t>(*count), static_cast<std::size_t>(*count)};
}

std::string to_string(const Repeats& repeats) {
  return repeats.least == repeats.most ? std::to_string(repeats.least) : "auto";
}

SweepConfig load_config(const std::filesystem::path& file) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 20;
  std::string text;
  try {
    text = read_whole_file(file, kMostBytes);
  } catch (const Error& error) {
    throw ConfigError(
        fmt::format("{}; must be a YAML file; `feedrate config` lists examples", error.what()));
  }
  require_text(file.string(), file.string());
  require_text(text, file.string());
  return parse_config(text, file.string());
}

Axis parse_axis(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) {
    throw ConfigError("must be NAME=VALUE[,VALUE…], such as num_workers=0,2,4");
  }
  const Knob& knob = find_knob(text.substr(0, equals));
  Axis axis{std::string(knob.name), {}};
  std::string_view rest = std::string_view(text).substr(equals + 1);
  for (;;) {
    const std::size_t comma = rest.find(',');
    add_value(axis, parse_knob(knob, std::string(rest.substr(0, comma)), knob.name), knob.name);
    if (comma == std::string_view::npos) return axis;
    rest.remove_prefix(comma + 1);
  }
}

std::vector<Axis> parse_axes(const std::string& text) {
  std::vector<Axis> axes;
  std::string_view rest = text;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = rest.find(',');
    while (end != std::string_view::npos && !names_a_knob(rest.substr(end + 1))) {
      end = rest.find(',', end + 1);
    }
    axes.push_back(parse_axis(std::string(rest.substr(0, end))));
    if (end != std::string_view::npos) rest.remove_prefix(end + 1);
  }
  return axes;
}

void override_axis(SweepConfig& config, Axis axis) {
  config.set.insert(axis.name);
  if (axis.name == "engine") leave_auto_open(config, axis);
  const auto same = std::find_if(config.axes.begin(), config.axes.end(),
                                 [&](const Axis& known) { return known.name == axis.name; });
  *same = std::move(axis);
}

}  // namespace feedrate
