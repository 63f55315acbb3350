// What a replayed loader asks of a storage that it shares with others, and when it gets it. One
// thread.
#pragma once
#include <cstddef>

namespace feedrate {

/// In place of a worker's number: the training thread, which loads by itself.
inline constexpr std::size_t kTrainingThread = static_cast<std::size_t>(-1);

/// A batch is fetched and made in so many parts in turn: samples are read one after another, each
/// before it is decoded.
inline constexpr std::size_t kFetchesABatch = 4;

class ReplayedFetches {
 public:
  virtual ~ReplayedFetches() = default;
  /// `worker` waits from now on until it is told (ReplayedLoop::fetched) that the share `part` of a
  /// batch is there.
  virtual void fetch(std::size_t worker, double part) = 0;
};

}  // namespace feedrate
