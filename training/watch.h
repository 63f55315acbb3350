// SPDX-License-Identifier: Apache-2.0
// The DataLoaders of a training script, from the messages of its processes: a step log for each
// loader (training/step_log.h), and a WatchedLoader for each of its settings. One thread.
#pragma once
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "training/messages.h"
#include "training/neighbors.h"
#include "training/step_log.h"
#include "training/watched_loader.h"

namespace feedrate {

class Watch {
 public:
  Watch() = default;
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() = default;

  /// The settings that request `number` asks for, and their use. Numbers are never used again.
  void expect(std::size_t number, const ScriptLoader& settings,
              SegmentUse use = SegmentUse::kTrial) {
    requests_[number] = {number, settings, use};
  }
  /// A message of the process at `connection`. One that cannot be true is left out.
  void add(std::size_t connection, const ScriptMessage& message);

  /// Sorted by their first appearance. Their addresses stay.
  [[nodiscard]] const std::deque<WatchedLoader>& loaders() const { return loaders_; }
  /// main_of() all loaders.
  [[nodiscard]] const WatchedLoader* main_loader(bool asked = false) const {
    return main_of(loaders_, asked);
  }
  [[nodiscard]] const StepLog& log_of(const WatchedLoader& loader) const {
    return place_of(loader).log;
  }

  /// A loader of a process, and how many batches it has handed out.
  struct Target {
    std::size_t connection = 0;
    std::size_t loader = 0;
    std::size_t batches = 0;
  };
  /// The newest object of each rank that is this loader, sorted by rank.
  [[nodiscard]] std::vector<Target> targets(const WatchedLoader& of) const;
  /// The latest mark.
  [[nodiscard]] Nanos now() const { return now_; }
  /// CPU seconds of loads by workers of trials, which are no descendants of the script.
  [[nodiscard]] double hidden_cpu() const { return hidden_cpu_; }

  [[nodiscard]] const ScriptProcess& process(std::size_t connection) const {
    return processes_.at(connection);
  }

  /// Messages about a loader besides its marks.
  struct Remarks {
    std::optional<ScriptLimit> limit;
    std::size_t audited = 0;  ///< batches that were identical
    std::string difference;   ///< of the first batch that was not; empty: all were
    std::vector<std::string> notes;
  };
  [[nodiscard]] const Remarks& remarks(const WatchedLoader& of) const {
    return place_of(of).remarks;
  }

 private:
  // A loader of a process: an object of the script with its successors.
  struct Place {
    LoaderKey key;
    StepLog log;
    Neighbors neighbors;
    ScriptLoader own;                  // As the script has it.
    std::vector<std::size_t> numbers;  // Of the latest objects.
    std::size_t batches = 0;           // Of the latest object.
    std::size_t audited_before = 0;    // By earlier objects.
    Remarks remarks;
  };

  void take(std::size_t connection, const ScriptProcess& process) {
    processes_[connection] = process;
  }
  void take(std::size_t connection, const ScriptLoader& loader);
  void take(Place& place, const ScriptMark& mark);
  static void take(Place& place, const ScriptSpan& span) { place.log.add_span(span); }
  void take(Place& place, const ScriptFetch& fetch);
  void take(Place& place, const ScriptSwitchFailed& failed);
  static void take(Place& place, const ScriptCopies& copies) { place.log.cell().copies = copies; }
  static void take(Place& place, const ScriptWorkers& workers) {
    place.log.cell().workers = workers.processes;
  }
  static void take(Place& place, const ScriptLimit& limit) { place.remarks.limit = limit; }
  static void take(Place& place, const LoaderEvidence& evidence) {
    place.log.cell().evidence += evidence.evidence;
  }
  static void take(Place& place, const ScriptAudit& audit);
  static void take(Place& place, const ScriptNote& note);
  void change(Place& place, const SettingRequest& request);
  [[nodiscard]] WatchedLoader& cell_of(std::size_t connection, const ScriptLoader& loader);
  void end_step(Place& place, Nanos now);
  void visit_others(const Place& place, Nanos at, std::optional<double> loading);
  [[nodiscard]] Nanos end_of_training(Place& place, Nanos now);
  void share_group_size(const Place& place);
  [[nodiscard]] Place* find(std::size_t connection, std::size_t number);
  [[nodiscard]] const Place& place_of(const WatchedLoader& loader) const {
    return places_.at({loader.connection, loader.loader.group});
  }

  std::map<std::size_t, ScriptProcess> processes_;
  std::map<LoaderKey, std::size_t> groups_;  // By connection and number.
  std::map<LoaderKey, Place> places_;
  std::map<std::size_t, SettingRequest> requests_;
  std::deque<WatchedLoader> loaders_;
  Nanos now_{};
  double hidden_cpu_ = 0.0;
};

}  // namespace feedrate
