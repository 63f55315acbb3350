// An HDF5 file whose raw data is not read: asked for some, HDF5 is told that it has it, and where
// it would have come from is kept. For versions of HDF5 that have no quick way to list chunks.
#pragma once
#include <cstdint>
#include <string>

#include "formats/hdf5/hdf5_call.h"

namespace feedrate {

/// What HDF5 last wanted to read.
struct RawRead {
  std::uint64_t address = 0;  ///< in the file
  std::uint64_t size = 0;
};

/// One thread, in an Hdf5Session. Metadata is read as ever; memory that raw data was to go to is
/// left as it is.
class Hdf5Probe {
 public:
  /// Notes reads in `last`, which outlives this. Throws FormatError if the file cannot be opened.
  Hdf5Probe(const std::string& path, RawRead& last);

  /// The open file's identifier.
  [[nodiscard]] std::int64_t get() const noexcept { return file_.get(); }

 private:
  Hdf5Handle driver_;
  Hdf5Handle file_;
};

}  // namespace feedrate
