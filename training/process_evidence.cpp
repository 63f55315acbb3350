// SPDX-License-Identifier: Apache-2.0
#include "training/process_evidence.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/host/processes.h"
#include "core/host/text_file.h"

namespace feedrate {
namespace {

constexpr Nanos kFirstInterval = std::chrono::milliseconds(250);
constexpr Nanos kInterval = std::chrono::seconds(5);

std::uint64_t difference(std::uint64_t now, std::uint64_t before) {
  return now - std::min(before, now);
}

double seconds_between(Nanos before, Nanos now) { return to_seconds(now - std::min(before, now)); }

// "TIME_RUNNING TIME_WAITING SLICES", in nanoseconds (Documentation/scheduler/sched-stats.rst).
void read_schedule(const std::filesystem::path& folder, pid_t process, ProcessCounters& counters) {
  const std::string text =
      read_text(folder / "task" / std::to_string(process) / "schedstat").value_or("");
  const std::vector<std::string_view> words = split_words(text);
  if (words.size() < 2) return;
  const auto nanos = [](std::string_view word) {
    return Nanos(static_cast<std::int64_t>(parse_unsigned(word).value_or(0)));
  };
  counters.running = nanos(words[0]);
  counters.runnable = nanos(words[1]);
}

}  // namespace

std::optional<ProcessCounters> read_counters(const std::filesystem::path& root, pid_t process) {
  constexpr std::size_t kMajorFaults = 9;  // majflt of proc(5), behind the name.
  const std::filesystem::path folder = root / "proc" / std::to_string(process);
  const std::string stat = read_text(folder / "stat").value_or("");
  const std::vector<std::string_view> fields = stat_fields(stat);
  if (fields.size() <= kMajorFaults) return std::nullopt;
  ProcessCounters counters;
  counters.major_faults = parse_unsigned(fields[kMajorFaults]).value_or(0);
  const std::string io = read_text(folder / "io").value_or("");
  counters.read_bytes = parse_unsigned(find_field(io, "read_bytes")).value_or(0);
  read_schedule(folder, process, counters);
  return counters;
}

std::vector<std::pair<std::size_t, LoaderEvidence>> ProcessEvidence::poll(const Watch& watch,
                                                                          Nanos now) {
  std::vector<std::pair<std::size_t, LoaderEvidence>> all;
  if (now < next_ || watch.loaders().empty()) return all;
  first_ = first_.value_or(now);
  next_ = now + std::clamp((now - *first_) / 2, kFirstInterval, kInterval);
  for (const WatchedLoader& watched : watch.loaders()) {
    if (!watched.is_current) continue;
    Loader& known = loaders_[{watched.connection, watched.loader.number}];
    const bool has_loaded = watched.batches != std::exchange(known.batches, watched.batches);
    const LoadingEvidence evidence = evidence_of(known, watched, now);
    if (has_loaded && evidence.span > 0.0) {
      all.push_back({watched.connection, {watched.loader.number, evidence}});
    }
  }
  return all;
}

// Workers that the script did not report are among the descendants of the training process.
std::vector<pid_t> ProcessEvidence::loading_processes(const WatchedLoader& watched) const {
  if (watched.loader.num_workers == 0) return {watched.process.id};
  if (!watched.workers.empty()) return watched.workers;
  std::vector<pid_t> tree = process_tree(root_, watched.process.id);
  tree.erase(tree.begin());
  return tree;
}

LoadingEvidence ProcessEvidence::evidence_of(Loader& known, const WatchedLoader& watched,
                                             Nanos now) const {
  LoadingEvidence sum;
  std::map<pid_t, Seen> seen;
  for (const pid_t process : loading_processes(watched)) {
    const std::optional<ProcessCounters> counters = read_counters(root_, process);
    if (!counters) continue;
    seen[process] = {now, *counters};
    const auto before = known.processes.find(process);
    if (before == known.processes.end()) continue;
    const ProcessCounters& old = before->second.counters;
    sum.span = std::max(sum.span, seconds_between(before->second.at, now));
    sum.running += seconds_between(old.running, counters->running);
    sum.runnable += seconds_between(old.runnable, counters->runnable);
    sum.read_bytes += difference(counters->read_bytes, old.read_bytes);
    sum.major_faults += difference(counters->major_faults, old.major_faults);
  }
  known.processes = std::move(seen);
  return sum;
}

}  // namespace feedrate
