// What the starts of cells have left, out of memory while a sweep goes on: a thousand cells with
// the timings of each step would make feedrate itself grow. One thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/unique_fd.h"
#include "report/result.h"

namespace feedrate {

/// Keeps them in a file of this user's own without a name, which goes with the process. It grows
/// with each start; results that were to be lost with their own folder are still in it.
class ParkedCells {
 public:
  /// Where `folder` takes no such file, or is empty, everything stays in memory.
  explicit ParkedCells(const std::filesystem::path& folder);

  /// Takes the cell's metrics and repeats; it keeps as many repeats, of which only
  /// the round is left. A cell that was
  /// fetched and has no start more is not written again. One that the disk does not take stays as
  /// it is.
  void park(CellResult& cell);

  /// Gives back what was taken. Throws SystemError, and FormatError where the file was changed; the
  /// cell is then as it was.
  void fetch(CellResult& cell);

  /// And gives what the allocator holds to the system: the next cell begins as the first did.
  void park_all(RunResult& run);
  void fetch_all(RunResult& run);

 private:
  struct Place {
    std::uint64_t offset = 0;
    std::size_t size = 0;
    std::size_t repeats = 0;  // Written of this cell.
    bool is_away = false;
  };

  Place& place_of(const CellResult& cell);
  bool write(const CellResult& cell, Place& place);

  UniqueFd file_;  // Of no file where there is none.
  std::uint64_t end_ = 0;
  std::vector<Place> places_;  // By the cell's index.
};

}  // namespace feedrate
