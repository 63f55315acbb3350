// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run.h"

#include <csignal>
#include <cstdlib>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "bench/environment.h"
#include "bench/workbench.h"
#include "cli/run_box.h"
#include "cli/run_progress.h"
#include "core/clock.h"
#include "engines/torch/python_package.h"
#include "report/run_writer.h"
#include "training/listener.h"
#include "training/results.h"
#include "training/script.h"
#include "training/tuning.h"
#include "training/verdict.h"
#include "training/watch.h"

namespace feedrate {
namespace {

constexpr std::size_t kStepsBeforeTuning = 20;  // Kept ones.
constexpr Nanos kPatience = std::chrono::milliseconds(100);
constexpr Nanos kToEnd = std::chrono::seconds(10);  // After SIGTERM.

bool is_for_python(const std::string& word) {
  return word.ends_with(".py") || word == "-m" || word == "-c";
}

EnvironmentVariables environment_of(const PythonPackage& package,
                                    const std::filesystem::path& socket, bool tunes) {
  std::string path = package.hook().string();
  const char* const usual = std::getenv("PYTHONPATH");
  if (usual != nullptr && *usual != '\0') path += fmt::format(":{}", usual);
  EnvironmentVariables set{{"PYTHONPATH", path}, {"FEEDRATE_RUN", socket.string()}};
  if (tunes) set.emplace_back("FEEDRATE_TUNE", "1");
  return set;
}

std::string name_of(const std::vector<std::string>& command) {
  for (const std::string& word : command) {
    if (word.ends_with(".py")) return std::filesystem::path(word).stem().string();
  }
  if (command.front() == "-m" && command.size() > 1) return command[1];
  if (command.front() == "-c") return "python";
  return std::filesystem::path(command.front()).filename().string();
}

RunResult begin_result(const RunOptions& options) {
  SweepConfig config;
  config.name = name_of(options.command);
  config.question = fmt::format("What do the steps of {} wait for?", config.name);
  RunResult run = begin_run(config, {}, options.command_line);
  run.environment = machine_environment({});
  return run;
}

// Starts the script and watches it to its end.
class ScriptRun {
 public:
  ScriptRun(const RunOptions& options, Console& console)
      : options_(options),
        listener_(package_.folder() / "run.socket"),
        script_(script_command(options.command),
                environment_of(package_, package_.folder() / "run.socket", options.tune),
                signals_.usual_mask()),
        progress_(console) {}

  /// Its wait status.
  int watch() {
    while (true) {
      const std::optional<int> status = script_.status();
      const bool has_come = receive(status ? Nanos(0) : kPatience);
      if (status && !has_come) return *status;
      if (status) continue;  // What a script has sent at its end is read, too.
      if (signals_.forward(script_.id())) interrupted_ = true;
      if (options_.tune) tune();
      progress_.show(watch_);
      if (!ended_at_ && is_over()) end_script();
      if (ended_at_ && clock_.now() - *ended_at_ > kToEnd) ::kill(script_.id(), SIGKILL);
    }
  }

  [[nodiscard]] const Watch& seen() const { return watch_; }
  /// Null where nothing was tuned.
  [[nodiscard]] const InPlaceTuner* tuner() const { return tuner_ ? &*tuner_ : nullptr; }
  [[nodiscard]] bool was_interrupted() const { return interrupted_; }
  [[nodiscard]] bool was_ended() const { return ended_at_.has_value(); }
  [[nodiscard]] const std::string& problem() const { return listener_.problem(); }

 private:
  bool receive(Nanos patience) {
    return listener_.receive(
        signals_.descriptor(), patience,
        [this](std::size_t connection, const ScriptMessage& message) {
          watch_.add(connection, message);
          if (const auto* const failed = std::get_if<ScriptSwitchFailed>(&message)) fail(*failed);
        });
  }

  // One that failed later, when another was asked for, says nothing of that.
  void fail(const ScriptSwitchFailed& failed) {
    if (tuner_ && failed.request == requests_) request(tuner_->fail(failed.problem));
  }

  void tune() {
    if (!tuner_) {
      const WatchedLoader* const main = watch_.main_loader();
      if (main == nullptr || main->measurement.kept.size() < kStepsBeforeTuning ||
          !main->loader.why_fixed.empty()) {
        return;
      }
      connection_ = main->connection;
      tuner_.emplace(*main, InPlaceAims{});
    }
    request(tuner_->advance(watch_));
  }

  void request(const std::optional<ScriptLoader>& settings) {
    if (!settings) return;
    watch_.expect(++requests_, *settings);
    listener_.send(connection_, switch_message(*settings, requests_));
  }

  [[nodiscard]] bool is_over() const {
    const WatchedLoader* const main = watch_.main_loader();
    if (main == nullptr) return false;
    if (options_.steps > 0 && main->steps >= options_.steps) return true;
    if (options_.tune && main->loader.why_fixed.empty()) {
      return options_.until_decided && tuner_ && tuner_->is_over();
    }
    return options_.until_decided && main->measurement.kept.size() >= kStepsForVerdict;
  }

  void end_script() {
    ended_at_ = clock_.now();
    ::kill(script_.id(), SIGTERM);
  }

  const RunOptions& options_;
  SteadyClock clock_;
  PythonPackage package_;
  ForwardedSignals signals_;
  ScriptListener listener_;
  Script script_;
  Watch watch_;
  RunProgress progress_;
  std::optional<InPlaceTuner> tuner_;
  std::size_t connection_ = 0;  // Of the loader that is tuned.
  std::size_t requests_ = 0;
  bool interrupted_ = false;
  std::optional<Nanos> ended_at_;
};

}  // namespace

std::vector<std::string> script_command(const std::vector<std::string>& command) {
  if (!is_for_python(command.front())) return command;
  const char* const chosen = std::getenv("FEEDRATE_PYTHON");
  std::vector<std::string> all{chosen != nullptr && *chosen != '\0' ? chosen : "python3"};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

int run_script(const RunOptions& options, Console& console) {
  const std::filesystem::path folder =
      results_folder(options.out, name_of(options.command) + "-run");
  const SteadyClock clock;
  RunWriter writer(folder, clock, options.force ? EarlierRun::kReplace : EarlierRun::kRefuse);
  RunResult run = begin_result(options);
  ScriptRun script(options, console);
  const int status = script.watch();
  console.out.flush();
  set_cells(run, script.seen());
  run.interrupted = script.was_interrupted();
  print_run_box(console.err, script.seen(), script.tuner());
  if (!script.problem().empty()) console.err << "  feedrate: " << script.problem() << '\n';
  writer.write(run);
  console.err << fmt::format("  Written: {}/cells.csv, run.json, table.md\n", folder.string());
  return script.was_ended() ? kExitOk : exit_as(status);
}

}  // namespace feedrate
