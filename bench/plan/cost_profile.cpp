// SPDX-License-Identifier: Apache-2.0
#include "bench/plan/cost_profile.h"

#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "bench/plan/values.h"
#include "bench/plan/yaml_file.h"
#include "core/error.h"
#include "core/host/durable_file.h"

namespace feedrate {
namespace {

constexpr double kMostMicroseconds = 1e9;
constexpr double kMostNanosPerByte = 1e6;

struct FixedKey {
  std::string_view key;
  Nanos LoaderCosts::*cost;
  std::string_view help;
};

struct LinearKey {
  std::string_view key;
  LinearCost LoaderCosts::*cost;
  std::string_view help;
};

constexpr FixedKey kFixed[] = {
    {"inline_sample", &LoaderCosts::inline_sample, "per sample, without workers"},
    {"worker_sample", &LoaderCosts::worker_sample, "per sample, in a worker"},
    {"dispatch", &LoaderCosts::dispatch, "per batch returned by workers, in the training thread"},
    {"worker_start", &LoaderCosts::worker_start, "per worker, in the training thread"},
    {"first_task", &LoaderCosts::first_task, "in a new worker, before its first task"},
    {"worker_exit", &LoaderCosts::worker_exit, "in a worker, after its last task, until it exits"},
    {"worker_stop", &LoaderCosts::worker_stop, "per worker, in the training thread"},
    {"resume", &LoaderCosts::resume, "in a persistent worker, at the start of an epoch"},
};

constexpr LinearKey kLinear[] = {
    {"inline_batch", &LoaderCosts::inline_batch, "per batch, without workers: collate"},
    {"worker_batch", &LoaderCosts::worker_batch, "per batch, in the worker: collate and pickle"},
    {"receive", &LoaderCosts::receive, "per batch, in the receiving thread: unpickle and map"},
    {"pin", &LoaderCosts::pin,
     "per batch, in the pin thread; without workers in the training thread"},
};

double microseconds(Nanos duration) { return to_seconds(duration) * 1e6; }

Nanos read_microseconds(const ConfigNode& node, std::string_view key) {
  return from_seconds(number_value(node, key, 0.0, kMostMicroseconds) * 1e-6);
}

LinearCost read_linear(const ConfigNode& node, std::string_view key) {
  check_keys(node, key, {"us", "ns_per_byte"});
  LinearCost cost;
  cost.fixed = read_microseconds(required(node, key, "us"), fmt::format("{}.us", key));
  cost.ns_per_byte = number_value(required(node, key, "ns_per_byte"),
                                  fmt::format("{}.ns_per_byte", key), 0.0, kMostNanosPerByte);
  return cost;
}

std::string text_of(const ConfigNode& root, std::string_view key) {
  return text_value(required(root, "the profile", key), key);
}

}  // namespace

std::string to_yaml(const CostProfile& profile) {
  std::string text =
      "# Cost of torch.utils.data.DataLoader on this machine beyond feedrate's native loader.\n# "
      "Written by `feedrate calibrate`; used by the knob `emulate`. See `feedrate help "
      "cost-profile`.\n";
  text += fmt::format(
      "machine: {}\n"
      "versions: {}\n"
      "dataset: {}  # source of the samples\n",
      in_quotes(profile.machine), in_quotes(profile.versions), in_quotes(profile.dataset));
  if (std::isfinite(profile.settled_within)) {
    text += fmt::format("settled_within_us: {:.3f}  # or 15 %: costs other than per sample\n",
                        profile.settled_within * 1e6);
  }
  text += "microseconds:\n";
  for (const FixedKey& fixed : kFixed) {
    text += fmt::format("  {}: {:.3f}  # {}\n", fixed.key, microseconds(profile.costs.*fixed.cost),
                        fixed.help);
  }
  text += "by_size:\n";
  for (const LinearKey& linear : kLinear) {
    const LinearCost& cost = profile.costs.*linear.cost;
    text += fmt::format("  {}: {{us: {:.3f}, ns_per_byte: {:.6f}}}  # {}\n", linear.key,
                        microseconds(cost.fixed), cost.ns_per_byte, linear.help);
  }
  if (!profile.figures.empty()) text += "# Measured, medians with 95 % confidence intervals:\n";
  for (const std::string& figure : profile.figures) text += fmt::format("#   {}\n", figure);
  return text;
}

CostProfile load_cost_profile(const std::filesystem::path& file) {
  std::string text;
  try {
    text = read_whole_file(file);
  } catch (const SystemError& error) {
    throw ConfigError(fmt::format("emulate: {}; write a profile with `feedrate calibrate --torch`",
                                  error.what()));
  }
  return parse_cost_profile(text, file.string());
}

CostProfile parse_cost_profile(const std::string& text, const std::string& file_name) {
  const ConfigNode root = parse_yaml(text, file_name);
  constexpr std::string_view kSettledWithin = "settled_within_us";
  check_keys(root, "",
             {"machine", "versions", "dataset", kSettledWithin, "microseconds", "by_size"});
  CostProfile profile;
  profile.machine = text_of(root, "machine");
  profile.versions = text_of(root, "versions");
  profile.dataset = text_of(root, "dataset");
  if (const ConfigNode* within = root.find(kSettledWithin)) {
    profile.settled_within = number_value(*within, kSettledWithin, 0.0, kMostMicroseconds) * 1e-6;
  }
  const ConfigNode& fixed_costs = required(root, "the profile", "microseconds");
  std::vector<std::string_view> keys;
  for (const FixedKey& fixed : kFixed) keys.push_back(fixed.key);
  check_keys(fixed_costs, "microseconds", keys);
  for (const FixedKey& fixed : kFixed) {
    profile.costs.*fixed.cost =
        read_microseconds(required(fixed_costs, "microseconds", fixed.key), fixed.key);
  }
  const ConfigNode& by_size = required(root, "the profile", "by_size");
  keys.clear();
  for (const LinearKey& linear : kLinear) keys.push_back(linear.key);
  check_keys(by_size, "by_size", keys);
  for (const LinearKey& linear : kLinear) {
    profile.costs.*linear.cost = read_linear(required(by_size, "by_size", linear.key), linear.key);
  }
  return profile;
}

}  // namespace feedrate
