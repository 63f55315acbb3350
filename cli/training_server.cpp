// SPDX-License-Identifier: Apache-2.0
#include "cli/training_server.h"

#include <algorithm>
#include <exception>
#include <thread>
#include <utility>
#include <variant>

#include <sys/sysinfo.h>

#include "training/summary.h"
#include "training/wait_verdict.h"
#include "training/worker_memory.h"

namespace feedrate {
namespace {

constexpr Nanos kMemoryInterval = std::chrono::milliseconds(500);

TrainingOptions tuner_options(bool tunes, ScriptListener& listener) {
  TrainingOptions options;
  options.tunes = tunes;
  options.send = [&listener](std::size_t connection, const std::string& line) {
    listener.send(connection, line);
  };
  options.why_no_memory = why_no_memory;
  options.most_workers_now = most_workers_now;
  return options;
}

}  // namespace

TrainingServer::TrainingServer(const std::filesystem::path& socket, bool tunes, Console& console)
    : listener_(socket),
      training_(tuner_options(tunes, listener_)),
      ranks_([this](std::size_t connection, const ScriptMessage& message) {
        add(connection, message);
      }),
      progress_(console) {}

bool TrainingServer::receive(int other, Nanos patience) {
  if (!problem_.empty()) {
    std::this_thread::sleep_for(patience);
    return false;
  }
  try {
    return listener_.receive(other, patience,
                             [this](std::size_t connection, const ScriptMessage& message) {
                               ranks_.add(connection, message, clock_.now());
                             });
  } catch (const std::exception& error) {
    problem_ = error.what();
    return false;
  }
}

void TrainingServer::act() {
  if (!problem_.empty()) return;
  try {
    ranks_.advance(clock_.now());
    check_memory();
    for (const auto& [connection, evidence] : evidence_.poll(training_.watch(), clock_.now())) {
      training_.add(connection, evidence);
    }
    if (std::exchange(has_news_, false)) {
      training_.advance();
      send_verdict();
    }
    progress_.show(training_.watch());
  } catch (const std::exception& error) {
    problem_ = error.what();
  }
}

void TrainingServer::finish() try {
  if (problem_.empty()) ranks_.finish();
} catch (const std::exception& error) {
  problem_ = error.what();
}

// Bounds the reported CPUs by the machine's, because the model's time grows with them.
void TrainingServer::add(std::size_t connection, const ScriptMessage& message) {
  has_news_ = true;
  if (const auto* const process = std::get_if<ScriptProcess>(&message)) {
    ScriptProcess bounded = *process;
    bounded.cpus = std::min(bounded.cpus, static_cast<std::size_t>(::get_nprocs_conf()));
    return training_.add(connection, bounded);
  }
  training_.add(connection, message);
}

bool TrainingServer::stop(pid_t script) {
  const WatchedLoader* const main = summary_loader(training_);
  if (main == nullptr || main->process.world_size > 1 || main->loader.ranks > 1) return false;
  listener_.send(main->connection, stop_message());
  return main->process.id == script;
}

void TrainingServer::check_memory() {
  if (!training_.is_changed() || clock_.now() < next_check_) return;
  next_check_ = clock_.now() + kMemoryInterval;
  const std::string shortage = memory_shortage();
  if (!shortage.empty()) training_.give_up(shortage);
}

void TrainingServer::send_verdict() {
  const WatchedLoader* const main = summary_loader(training_);
  if (main == nullptr || main->kept == 0 || !judge(*main)) return;
  const auto& tunings = training_.tunings();
  if (tunings.empty() && main->kept < kStepsForVerdict) return;
  const std::tuple now{tunings.size(), tunings.empty() ? 0.0 : tunings.back().cost(),
                       training_.is_over()};
  if (now == sent_) return;
  sent_ = now;
  listener_.send(main->connection, verdict_message(training_));
}

}  // namespace feedrate
