// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/run.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <unistd.h>

#include "analysis/foreign_load.h"
#include "analysis/report/run_writer.h"
#include "bench/engines/monitor_figures.h"
#include "bench/engines/torch/python_package.h"
#include "bench/engines/torch/runtime.h"
#include "bench/environment.h"
#include "bench/workbench.h"
#include "cli/commands/script_checks.h"
#include "cli/training_server.h"
#include "core/clock.h"
#include "core/error.h"
#include "core/host/cpu_load.h"
#include "core/host/processes.h"
#include "core/temporary_folder.h"
#include "core/units.h"
#include "training/end_limit.h"
#include "training/results.h"
#include "training/script.h"
#include "training/summary.h"

namespace feedrate {
namespace {

constexpr const char* kSocket = "run.socket";
constexpr Nanos kPatience = std::chrono::milliseconds(100);
constexpr Nanos kForResults = std::chrono::seconds(10);  // after the script's end
constexpr Nanos kToEnd = std::chrono::seconds(10);       // before SIGKILL

bool is_at_end(int descriptor) {
  pollfd polled{descriptor, POLLIN, 0};
  return ::poll(&polled, 1, 0) > 0 && (polled.revents & POLLHUP) != 0;
}

EnvironmentVariables environment_of(const PythonPackage& package,
                                    const std::filesystem::path& socket, bool tunes) {
  std::string path = package.hook().string();
  const char* const usual = std::getenv("PYTHONPATH");
  if (usual != nullptr && *usual != '\0') path += fmt::format(":{}", usual);
  EnvironmentVariables set{{"PYTHONPATH", path}, {"FEEDRATE_RUN", socket.string()}};
  if (tunes) set.emplace("FEEDRATE_TUNE", "1");
  return set;
}

std::string name_of(const std::vector<std::string>& command) {
  if (command.empty()) return "script";
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

class OtherPrograms {
 public:
  // Call before the script ends: processes that it leaves behind would count as others'. `hidden`
  // is the CPU time in seconds of the run's processes that are not descendants of this one.
  void sample(Nanos now, double hidden) try {
    if (now < next_) return;
    last_ = mark_cpu_load(cpus_);
    last_.own += hidden;
    constexpr double kApart = 0.05;  // of the elapsed time; at least a second
    next_ = now +
            std::max(from_seconds(kApart * (last_.at - begin_.at)), Nanos(std::chrono::seconds(1)));
  } catch (const std::exception&) {  // keeps the last mark, for example without a free descriptor
  }
  [[nodiscard]] std::vector<Metric> metrics() const { return foreign_load_metrics(begin_, last_); }

 private:
  const CpuList cpus_ = allowed_cpu_list();
  const CpuLoadMark begin_ = mark_cpu_load(cpus_);
  CpuLoadMark last_ = begin_;
  Nanos next_{};
};

class ScriptRun {
 public:
  ScriptRun(const RunOptions& options, const InheritedSignals& inherited, Console& console)
      : options_(options),
        session_(package_.folder() / kSocket, options.tune, console),
        script_(script_program(script_command(options.command),
                               environment_of(package_, package_.folder() / kSocket, options.tune),
                               inherited)),
        limit_(script_.pid(), kForResults, package_.folder()) {}

  int watch() {
    while (true) {
      reap_orphans(script_.pid());
      const bool ended = script_.has_ended();
      const bool has_come = session_.receive(signals_.descriptor(), ended ? Nanos(0) : kPatience);
      if (ended && !has_come) return *script_.status();
      if (ended) continue;  // the script's last messages are read, too
      if (signals_.forward(script_.pid())) interrupted_ = true;
      session_.act();
      if (!ended_at_) {
        others_.sample(clock_.now(), session_.training().watch().hidden_cpu());
        if (is_over()) end_script();
      } else if (clock_.now() - *ended_at_ > kToEnd) {
        end_script();
      }
    }
  }

  [[nodiscard]] TrainingServer& session() { return session_; }
  [[nodiscard]] const OtherPrograms& others() const { return others_; }
  [[nodiscard]] bool was_interrupted() const { return interrupted_; }
  [[nodiscard]] bool was_ended() const { return ended_at_.has_value(); }

 private:
  [[nodiscard]] bool is_over() const {
    const WatchedTraining& training = session_.training();
    if (options_.steps > 0 && summary_steps(training) >= options_.steps) return true;
    return options_.until_decided && training.is_over();
  }

  // Asks the script to end, if possible: after a signal, PyTorch's workers outlive it by seconds.
  void end_script() {
    const bool is_first = !ended_at_;
    ended_at_ = clock_.now();
    limit_.expect_success();
    if (is_first && session_.stop(script_.pid())) return;
    ::kill(script_.pid(), std::exchange(signal_, SIGKILL));
  }

  const RunOptions& options_;
  SteadyClock clock_;
  PythonPackage package_;
  ForwardedSignals signals_;
  TrainingServer session_;
  OtherPrograms others_;
  ChildProcess script_;
  EndLimit limit_;
  bool interrupted_ = false;
  std::optional<Nanos> ended_at_;  // last request or signal
  int signal_ = SIGTERM;
};

// Prints the summary and the verdict, and writes the results folder. Failures are only reported:
// the script's exit code counts.
class RunEnd {
 public:
  RunEnd(const RunOptions& options, Console& console)
      : options_(options), console_(console), run_(begin_result(options)) {
    if (!options.out.empty()) open_folder();
  }

  /// `others` has the metrics of foreign_load_metrics(); empty if unknown.
  void report(TrainingServer& session, const std::vector<Metric>& others,
              bool was_interrupted) try {
    session.finish();
    session.clear_line();
    console_.out.flush();
    print_summary(session);
    if (const std::string taken = foreign_load_text(others); !taken.empty()) {
      console_.err << fmt::format("  during the run {}: its times are affected\n", taken);
    }
    if (const auto rank = session.stand_in()) {
      console_.err << fmt::format("  rank {} is watched: rank 0 did not connect\n", *rank);
    }
    if (!session.problem().empty()) console_.err << "  problem: " << session.problem() << '\n';
    run_.interrupted = was_interrupted;
    try {
      write(session.training(), others);
    } catch (const std::exception& error) {
      console_.err << "  results: " << error.what() << '\n';
    }
    if (options_.json) console_.out << verdict_json(session.training()) << '\n' << std::flush;
  } catch (const std::exception& error) {
    console_.err << "feedrate: " << error.what() << '\n';
  }

 private:
  void print_summary(const TrainingServer& session) {
    const WatchedTraining& training = session.training();
    if (training.watch().loaders().empty() && !options_.command.empty()) {
      const std::string why = why_without_torch(script_command(options_.command));
      if (!why.empty()) {
        console_.err << "feedrate: " << why << '\n';
        return;
      }
    }
    const char* before = "feedrate: ";
    for (const std::string& line : summary_lines(training)) {
      console_.err << std::exchange(before, "  ") << line << '\n';
    }
  }

  void open_folder() {
    folder_ = results_folder(options_.out, name_of(options_.command) + "-run");
    writer_.emplace(folder_, clock_, options_.force ? EarlierRun::kReplace : EarlierRun::kRefuse);
  }

  void write(const WatchedTraining& training, const std::vector<Metric>& others) {
    const bool has_seen = !training.watch().loaders().empty();
    if (!writer_ && (!has_seen || options_.listens)) return;
    if (!writer_) open_folder();
    set_cells(run_, training.watch());
    for (CellResult& cell : run_.cells) {
      cell.metrics.insert(cell.metrics.end(), others.begin(), others.end());
      for (Repeat& repeat : cell.repeats) {
        repeat.metrics.insert(repeat.metrics.end(), others.begin(), others.end());
      }
    }
    const auto& tunings = training.tunings();
    set_history(run_, training.watch(), tunings.empty() ? nullptr : &tunings.back(),
                summary_lines(training));
    writer_->write(run_);
    console_.err << fmt::format("  Written: {}/cells.csv, run.json, table.md\n", folder_.string());
  }

  const RunOptions& options_;
  Console& console_;
  SteadyClock clock_;
  RunResult run_;
  std::filesystem::path folder_;
  std::optional<RunWriter> writer_;
};

// Watches the process that started this one (python/feedrate/program.py). That process holds the
// other end of stdin, which reaches EOF when it and all its children have ended.
int listen(const RunOptions& options, Console& console) {
  RunEnd ending(options, console);
  const TemporaryFolder folder(temporary_root() / "fr-");
  const std::filesystem::path socket = folder.path() / kSocket;
  TrainingServer session(socket, options.tune, console);
  console.out << "ready " << socket.native() << '\n' << std::flush;
  const ScriptListener& listener = session.listener();
  while (!listener.has_ended() && (listener.has_connected() || !is_at_end(STDIN_FILENO))) {
    session.receive(-1, kPatience);
    session.act();
  }
  while (session.receive(-1, Nanos(0))) {
  }
  ending.report(session, {}, false);  // the script's own CPU use is unknown here
  return kExitOk;
}

// The requesting process must not see a child that it did not start.
int listen_in_background(const RunOptions& options, Console& console) {
  const pid_t child = ::fork();
  if (child < 0) throw SystemError("background process", "cannot be started", errno);
  return child > 0 ? kExitOk : listen(options, console);
}

struct Begun {
  std::optional<RunEnd> ending;
  std::optional<ScriptRun> script;
};

// If feedrate fails to start, as with a full temporary folder, the script runs alone.
void begin(Begun& begun, const RunOptions& options, const InheritedSignals& inherited,
           Console& console) try {
  begun.ending.emplace(options, console);
  begun.script.emplace(options, inherited, console);
} catch (const ConfigError&) {
  throw;
} catch (const std::exception& error) {
  if (options.until_decided || options.steps > 0)
    throw;  // the script would not end without feedrate
  console.err << fmt::format("feedrate: {}; the script runs without feedrate\n", error.what())
              << std::flush;
  become(script_program(script_command(options.command), {}, inherited));
}

}  // namespace

std::vector<std::string> script_command(const std::vector<std::string>& command) {
  if (!is_for_python(command)) return command;
  const char* const chosen = std::getenv("FEEDRATE_PYTHON");
  std::string python = chosen != nullptr ? chosen : "";
  if (python.empty()) python = python_beside(own_program()).string();
  std::vector<std::string> all{python.empty() ? "python3" : python};
  all.insert(all.end(), command.begin(), command.end());
  return all;
}

int run_script(const RunOptions& options, Console& console) {
  const InheritedSignals inherited;
  if (options.listens) return listen_in_background(options, console);
  require_script(options.command);
  const std::vector<std::string> misplaced = misplaced_options(options.command);
  if (!misplaced.empty()) {
    console.err << fmt::format(
                       "feedrate: {}: is passed to {}; put options of feedrate before the script\n",
                       fmt::join(misplaced, ", "), options.command.front())
                << std::flush;
  }
  Begun begun;
  begin(begun, options, inherited, console);
  ScriptRun& script = *begun.script;
  const int status = script.watch();
  const bool was_ended = script.was_ended();
  begun.ending->report(script.session(), script.others().metrics(), script.was_interrupted());
  begun.script.reset();  // removes its folder before this process ends by the script's signal
  return was_ended ? kExitOk : exit_as(status);
}

}  // namespace feedrate
