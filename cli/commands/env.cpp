// SPDX-License-Identifier: Apache-2.0
// feedrate env: describes the machine, with warnings about measurements on it.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/foreign_load.h"
#include "bench/environment.h"
#include "cli/options/subcommands.h"
#include "core/clock.h"
#include "core/host/cpu_load.h"
#include "core/host/trial.h"
#include "core/nvtx.h"
#include "device/cuda/cublaslt.h"
#include "device/cuda/cupti_tracer.h"
#include "device/cuda/nvjpeg_library.h"
#include "device/nvml_monitor.h"
#include "device/open.h"

namespace feedrate {
namespace {

struct EnvOptions {
  std::filesystem::path dataset;  // its storage is described; empty: the working directory's
  bool json = false;
};

void warn_about_load(Environment& environment, Clock& clock) {
  const CpuList cpus = allowed_cpu_list();
  const CpuLoadMark before = mark_cpu_load(cpus);
  clock.sleep_for(std::chrono::milliseconds(500));
  const std::optional<CpuLoad> load = cpu_load_between(before, mark_cpu_load(cpus));
  if (!load) return;
  const double taken = load->foreign + load->stolen;
  environment.facts.push_back({"foreign_cpu", fmt::format("{:.2f}", taken)});
  if (taken <= kForeignShare * load->cpus) return;
  environment.warnings.push_back(
      fmt::format("Other programs use {:.2f} of {:g} CPUs now.", taken, load->cpus));
}

// Asks in a child process: a driver or library that crashes or hangs is a result, too.
std::string ask(std::string (*describe)(), const char* of) {
  return answer_in_a_trial(describe, {.of = of, .wall = std::chrono::seconds(20)});
}

Environment gather(const EnvOptions& options) {
  Environment environment = machine_environment(
      options.dataset.empty() ? std::filesystem::current_path() : options.dataset);
  const std::string problem = ask(why_no_cuda, "the CUDA driver");
  environment.facts.push_back({"cuda", problem.empty() ? "usable" : problem});
  environment.facts.push_back({"cupti", problem.empty() ? ask(describe_activity_tracing, "CUPTI")
                                                        : "not checked, since CUDA is not usable"});
  environment.facts.push_back({"cublaslt", ask(cublaslt::describe, "cuBLASLt")});
  environment.facts.push_back({"nvjpeg", ask(nvjpeg::describe, "nvJPEG")});
  environment.facts.push_back({"nvml", ask(describe_nvml, "NVML")});
  environment.facts.push_back({"nvtx", ask(describe_nvtx, "NVTX's tool")});
  const std::string automatic =
      problem.empty() ? resolve_device_name("auto") : std::string(kFallbackDevice);
  const DeviceInfo info = device_info(automatic);
  environment.facts.push_back(
      {"device auto", fmt::format("{}: {} ({})", automatic, info.name, info.details)});
  SteadyClock clock;
  warn_about_load(environment, clock);
  if (info.simulated) {
    environment.warnings.emplace_back(
        "No GPU is used: sweeps run on a simulated device, and results say so.");
  }
  return environment;
}

void print_json(std::ostream& out, const Environment& environment) {
  nlohmann::ordered_json facts = nlohmann::ordered_json::object();
  for (const Fact& fact : environment.facts) facts[fact.name] = fact.value;
  constexpr int kEnvVersion = 1;
  out << nlohmann::ordered_json{{"schema_version", kEnvVersion},
                                {"environment", facts},
                                {"warnings", environment.warnings}}
             .dump(2)
      << '\n';
}

void print_text(std::ostream& out, const Environment& environment) {
  std::size_t width = 0;
  for (const Fact& fact : environment.facts) width = std::max(width, fact.name.size());
  for (const Fact& fact : environment.facts) {
    out << fmt::format("{:<{}}  {}\n", fact.name, width, fact.value);
  }
  if (environment.warnings.empty()) {
    out << "\nNo warnings.\n";
  }
  print_warnings(out, "measurements taken here", environment.warnings);
}

int run_env(const EnvOptions& options, Console& console) {
  const Environment environment = gather(options);
  options.json ? print_json(console.out, environment) : print_text(console.out, environment);
  return kExitOk;
}

}  // namespace

void add_env(CLI::App& app, const Chosen& chosen) {
  CLI::App* command = app.add_subcommand(
      "env", "Print facts about this machine, and warnings about measurements taken on it.");
  const auto options = std::make_shared<EnvOptions>();
  command->add_option("--dataset", options->dataset, "also inspect the storage of this path");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([=] { chosen([=](Console& console) { return run_env(*options, console); }); });
}

}  // namespace feedrate
