// SPDX-License-Identifier: Apache-2.0
// The other loaders of the same thread that are asked between two batches of a loader. A loader
// that is asked in nearly each of these gaps is a part of the step; any other one, as of a
// validation, makes the gap a pause. One thread.
#pragma once
#include <cstddef>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "training/gaps.h"
#include "training/watched_loader.h"

namespace feedrate {

/// A loader of a process: its connection, and its group.
using LoaderKey = std::pair<std::size_t, std::size_t>;

class Neighbors {
 public:
  /// Another loader in one gap.
  struct Visit {
    LoaderKey key;
    const WatchedLoader* loader = nullptr;
    std::size_t batches = 0;
    Nanos first{};         ///< when it was asked first
    double loading = 0.0;  ///< seconds
  };

  /// Another loader was asked at `at` in the present gap. `loading`: seconds of its batch; nothing:
  /// an epoch of it began.
  void add(const LoaderKey& key, const WatchedLoader& loader, Nanos at,
           std::optional<double> loading);
  /// Ends the gap at `now` and returns its visits.
  [[nodiscard]] std::vector<Visit> end_gap(Nanos now);
  void clear() { visits_.clear(); }
  /// Whether `key` is asked in nearly each gap; nothing while too few are known.
  [[nodiscard]] std::optional<bool> is_regular(const LoaderKey& key) const;

 private:
  std::vector<Visit> visits_;  // In the present gap.
  std::map<LoaderKey, Interleaving> interleaved_;
};

/// Whether `visit` in a gap of `of` is a part of the step. `back`: the neighbors of the visitor,
/// and `own` the key of the visited loader.
[[nodiscard]] bool is_part(const Neighbors::Visit& visit, const Neighbors& of,
                           const Neighbors& back, const LoaderKey& own);

/// Adds a visit that is a part of a step of `loader`.
void add_part(WatchedLoader& loader, const Neighbors::Visit& visit);

}  // namespace feedrate
