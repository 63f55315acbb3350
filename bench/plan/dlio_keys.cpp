// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/dlio_keys.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/plan/values.h"
#include "core/contains.h"
#include "core/did_you_mean.h"

namespace feedrate {
namespace {

/// Sections on loading a sample; every key must be read or honored.
constexpr std::array<std::string_view, 7> kLoading{"dataset", "metric", "reader",  "data_reader",
                                                   "storage", "train",  "workflow"};
/// Sections of names, of output, and of what follows training.
constexpr std::array<std::string_view, 12> kOther{
    "app_name", "checkpoint", "defaults", "evaluation",    "framework", "hydra",
    "logdir",   "model",      "output",   "output_folder", "profiling", "reporting"};

struct UnreadKey {
  std::string_view name;
  /// The values that do not change what is read, separated by '|'. Empty: all values.
  std::string_view honored = "";
};

constexpr std::array kUnreadKeys{
    UnreadKey{"dataset.batch_size_eval"},
    UnreadKey{"dataset.chunk_size"},
    UnreadKey{"dataset.compression", "none"},
    UnreadKey{"dataset.compression_level"},
    UnreadKey{"dataset.enable_chunking", "false|off|no"},
    UnreadKey{"dataset.eval_num_samples_per_file"},
    UnreadKey{"dataset.file_access", "multi"},
    UnreadKey{"dataset.file_prefix"},
    UnreadKey{"dataset.generation_buffer_size"},
    UnreadKey{"dataset.keep_files"},
    UnreadKey{"dataset.num_files_eval"},
    UnreadKey{"dataset.num_files_val"},
    UnreadKey{"dataset.num_subfolders_eval"},
    UnreadKey{"dataset.num_subfolders_train", "0|1"},
    UnreadKey{"reader.batch_size_eval"},
    UnreadKey{"reader.computatation_threads"},  // DLIO's spelling until 2023
    UnreadKey{"reader.computation_threads"},
    UnreadKey{"reader.data_loader_sampler", "iter|index"},
    UnreadKey{"reader.dont_use_mmap"},
    UnreadKey{"reader.eval_every_step"},
    UnreadKey{"reader.eval_num_samples_per_file"},
    UnreadKey{"reader.file_access", "multi"},
    UnreadKey{"reader.multiprocessing_context"},
    UnreadKey{"reader.odirect", "false|off|no"},
    UnreadKey{"reader.preprocess_time", "0|0.0"},
    UnreadKey{"reader.preprocess_time_stdev", "0|0.0"},
    UnreadKey{"reader.read_type", "on_demand"},
    UnreadKey{"reader.shuffle_size"},
    UnreadKey{"reader.steps_between_evals"},
    UnreadKey{"reader.transfer_size"},
    UnreadKey{"reader.write_threads"},
    UnreadKey{"storage.storage_type", "local_fs"},
    UnreadKey{"train.computation_time_stdev"},
    UnreadKey{"train.do_eval"},
    UnreadKey{"train.epochs"},
    UnreadKey{"train.epochs_between_evals"},
    UnreadKey{"train.eval_after_epoch"},
    UnreadKey{"train.eval_time"},
    UnreadKey{"train.seed_change_epoch"},
    UnreadKey{"train.total_eval_steps"},
    UnreadKey{"workflow.checkpoint"},
    UnreadKey{"workflow.debug"},
    UnreadKey{"workflow.do_eval"},
    UnreadKey{"workflow.evaluation"},
    UnreadKey{"workflow.log_level"},
    UnreadKey{"workflow.profiling"},
};

const ConfigNode& workload_of(const ConfigNode& root) {
  const ConfigNode* nested = root.find("workload");
  return nested && nested->kind == ConfigNode::Kind::kMap ? *nested : root;
}

std::string lower_case(std::string word) {
  std::transform(word.begin(), word.end(), word.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return word;
}

bool is_one_of(std::string_view word, std::string_view words) {
  for (std::size_t end = 0; end != std::string_view::npos; words.remove_prefix(end + 1)) {
    end = words.find('|');
    if (word == words.substr(0, end)) return true;
    if (end == std::string_view::npos) break;
  }
  return false;
}

std::string joined_by_or(std::string_view words) {
  std::string text(words);
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos;) {
    text.replace(at, 1, " or ");
  }
  return text;
}

void require_honored(const UnreadKey& key, const ConfigNode& value) {
  if (key.honored.empty() || value.kind == ConfigNode::Kind::kNothing) return;
  const std::string text =
      value.kind == ConfigNode::Kind::kScalar ? lower_case(value.scalar) : std::string();
  if (is_one_of(text, key.honored)) return;
  throw config_error(
      value, key.name,
      fmt::format("feedrate cannot honor this value; must be {}", joined_by_or(key.honored)));
}

}  // namespace

DlioKeys::DlioKeys(const ConfigNode& root) : root_(workload_of(root)) {
  for (const auto& [section, value] : root_.entries) {
    if (contains(kLoading, section) || contains(kOther, section)) continue;
    throw config_error(value, section, "is not a section of a DLIO workload; remove it");
  }
}

const ConfigNode* DlioKeys::node(std::string_view name) const {
  const std::size_t dot = name.find('.');
  const std::string_view section = name.substr(0, dot);
  const ConfigNode* map = section == "reader" ? root_.find("data_reader") : nullptr;
  if (!map) map = root_.find(section);
  return map ? map->find(name.substr(dot + 1)) : nullptr;
}

const ConfigNode* DlioKeys::find(std::initializer_list<std::string_view> names) {
  const ConfigNode* found = nullptr;
  for (const std::string_view name : names) {
    used_.emplace(name);
    const ConfigNode* const value = node(name);
    if (value && found) {
      throw config_error(*value, name,
                         fmt::format("is also given as {}; remove one", *names.begin()));
    }
    if (value) found = value;
  }
  return found;
}

std::string DlioKeys::text(std::string_view name, const char* fallback) {
  const ConfigNode* const value = find({name});
  return value ? text_value(*value, name) : fallback;
}

double DlioKeys::number(std::initializer_list<std::string_view> names, double fallback,
                        double least, double most) {
  const ConfigNode* const value = find(names);
  return value ? number_value(*value, *names.begin(), least, most) : fallback;
}

std::int64_t DlioKeys::integer(std::initializer_list<std::string_view> names, std::int64_t fallback,
                               std::int64_t least) {
  const ConfigNode* const value = find(names);
  return value ? integer_value(*value, *names.begin(), least, kMany) : fallback;
}

// Accepts the words of YAML 1.1, as Python does: also yes and on.
bool DlioKeys::flag(std::string_view name, bool fallback) {
  const ConfigNode* const value = find({name});
  if (!value) return fallback;
  const std::string word = lower_case(text_value(*value, name));
  if (is_one_of(word, "true|yes|on")) return true;
  if (is_one_of(word, "false|no|off")) return false;
  throw config_error(*value, name, "must be true or false");
}

ConfigError DlioKeys::error(std::string_view name, std::string_view problem) const {
  const ConfigNode* const value = node(name);
  return config_error(value ? *value : root_, name, problem);
}

void DlioKeys::require_without_effect(std::string_view name, const ConfigNode& value) const {
  const auto known = std::find_if(kUnreadKeys.begin(), kUnreadKeys.end(),
                                  [&](const UnreadKey& unread) { return unread.name == name; });
  if (known != kUnreadKeys.end()) return require_honored(*known, value);
  const std::string_view section = name.substr(0, name.find('.') + 1);
  std::vector<std::string_view> keys;
  for (const std::string_view used : used_) {
    if (used.starts_with(section)) keys.push_back(used.substr(section.size()));
  }
  throw config_error(value, name,
                     fmt::format("feedrate does not know this key, which may change what is read; "
                                 "remove it if it does not{}",
                                 did_you_mean(name.substr(section.size()), keys)));
}

std::vector<std::string> DlioKeys::without_effect() const {
  std::vector<std::string> names;
  for (const auto& [section, map] : root_.entries) {
    if (section == "model" || section == "framework") continue;  // their keys are names and sizes
    for (const auto& [key, value] : map.entries) {
      std::string name = fmt::format("{}.{}", section == "data_reader" ? "reader" : section, key);
      if (used_.contains(name)) continue;
      if (contains(kLoading, section)) require_without_effect(name, value);
      names.push_back(std::move(name));
    }
  }
  return names;
}

}  // namespace feedrate
