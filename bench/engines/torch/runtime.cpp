// SPDX-License-Identifier: Apache-2.0
#include "bench/engines/torch/runtime.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <system_error>

#include <fmt/format.h>
#include <unistd.h>

#include "bench/engines/torch/conversation.h"
#include "bench/engines/torch/fork_server.h"
#include "core/error.h"
#include "core/host/deadline.h"

namespace feedrate {
namespace {

namespace fs = std::filesystem;

constexpr const char* kFix =
    "install torch for one of them (python3 -m pip install torch), activate an environment that "
    "has it, or set FEEDRATE_PYTHON to its python3";

fs::path first_on_path(const fs::path& name, const std::string& path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path candidate = fs::path(path.substr(begin, end - begin)) / name;
    if (candidate.is_absolute() && ::access(candidate.c_str(), X_OK) == 0) return candidate;
    begin = end + 1;
  }
  return {};
}

std::vector<std::string> modules_of(const TorchNeeds& needs) {
  std::vector<std::string> modules;
  for (const auto* some : {&needs.modules, &needs.format_modules}) {
    for (const auto& [module, package] : *some) modules.push_back(module);
  }
  return modules;
}

// `python3 -m venv --system-site-packages` makes such environments.
bool sees_system_packages(const fs::path& environment) {
  std::ifstream file(environment / "pyvenv.cfg");
  for (std::string line; std::getline(file, line);) {
    if (line == "include-system-site-packages = true") return true;
  }
  return false;
}

// If `hello` is set, torch was imported, so another Python would not solve `problem`.
struct ProbeResult {
  std::shared_ptr<ForkServer> server;
  std::optional<TorchHello> hello;
  std::optional<TorchProbed> probed;
  std::string problem;
};

ProbeResult probe_python(const std::vector<std::string>& program, const TorchNeeds& needs,
                         Nanos timeout, const std::stop_token& stop) {
  ProbeResult result;
  const Deadline deadline(timeout, stop);
  try {
    result.server = std::make_shared<ForkServer>(program, modules_of(needs));
    Conversation child(result.server->fork(deadline.token()),
                       torch_probe(needs, result.server->process()), deadline.token());
    while (!result.probed) {
      const TorchMessage message = child.next();
      if (const auto* hello = std::get_if<TorchHello>(&message)) result.hello = *hello;
      if (const auto* probed = std::get_if<TorchProbed>(&message)) result.probed = *probed;
    }
  } catch (const Cancelled&) {
    if (stop.stop_requested()) throw;
    result.problem = fmt::format("did not answer within {:.0f} s", to_seconds(timeout));
  } catch (const Error& error) {
    result.problem = error.what();
  }
  return result;
}

std::string versions_of(const ProbeResult& result) {
  std::string text = fmt::format("torch {}, Python {}", result.hello->torch, result.hello->python);
  for (const auto& [module, version] : result.probed->modules) {
    text += fmt::format(", {} {}", module == "PIL" ? "Pillow" : module, version);
  }
  return text;
}

}  // namespace

std::vector<std::string> TorchRuntime::program(std::string_view environment) const {
  std::vector<std::string> words;
  if (!environment.empty()) words.emplace_back("/usr/bin/env");
  for (std::size_t begin = 0; begin < environment.size();) {
    const std::size_t end = std::min(environment.find(' ', begin), environment.size());
    words.emplace_back(environment.substr(begin, end - begin));
    begin = end + 1;
  }
  words.push_back(interpreter.string());
  words.push_back(package->script().string());
  return words;
}

fs::path python_beside(const fs::path& program) {
  const fs::path python = program.parent_path() / "python3";
  if (::access(python.c_str(), X_OK) != 0) return {};
  const fs::path environment = program.parent_path().parent_path();
  if (sees_system_packages(environment)) return python;
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator(environment / "lib", problem)) {
    const bool is_its = entry.path().filename().string().starts_with("python3");
    if (is_its && fs::exists(entry.path() / "site-packages/torch", problem)) return python;
  }
  return {};
}

std::vector<fs::path> python_candidates(const EnvironmentLookup& lookup, const fs::path& program) {
  if (const auto chosen = lookup("FEEDRATE_PYTHON"); chosen && !chosen->empty()) {
    const fs::path found = chosen->find('/') == std::string::npos
                               ? first_on_path(*chosen, lookup("PATH").value_or(""))
                               : fs::path(*chosen);
    return {fs::absolute(found.empty() ? fs::path(*chosen) : found)};
  }
  std::vector<fs::path> wanted{python_beside(program)};
  for (const char* environment : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    const auto folder = lookup(environment);
    if (folder && !folder->empty()) wanted.push_back(fs::path(*folder) / "bin/python3");
  }
  wanted.push_back(first_on_path("python3", lookup("PATH").value_or("")));
  wanted.emplace_back("/usr/bin/python3");
  std::vector<fs::path> candidates;
  for (const fs::path& path : wanted) {
    const bool known = std::find(candidates.begin(), candidates.end(), path) != candidates.end();
    if (!path.empty() && !known && ::access(path.c_str(), X_OK) == 0) candidates.push_back(path);
  }
  return candidates;
}

TorchRuntime find_torch(const TorchNeeds& needs, Nanos timeout, const std::stop_token& stop,
                        const EnvironmentLookup& lookup) {
  TorchRuntime runtime;
  runtime.package = std::make_shared<const PythonPackage>();
  std::string tried;
  for (const fs::path& candidate : python_candidates(lookup)) {
    runtime.interpreter = candidate;
    const ProbeResult result = probe_python(runtime.program(), needs, timeout, stop);
    if (result.probed && result.hello) {
      runtime.versions = versions_of(result);
      runtime.start_method = result.probed->start_method;
      for (const auto& [module, version] : result.probed->modules) {
        runtime.modules.push_back(module);
      }
      runtime.missing = result.probed->missing;
      runtime.server = result.server;
      return runtime;
    }
    if (result.hello) throw ConfigError(fmt::format("engine torch: {}", result.problem));
    tried += fmt::format("\n  {}: {}", candidate.string(), result.problem);
  }
  if (tried.empty()) tried = "\n  no python3 on $PATH or in /usr/bin";
  throw ConfigError(
      fmt::format("engine torch: no Python that can import torch; {}. Tried:{}", kFix, tried));
}

}  // namespace feedrate
