// Reading the records of an HDF5 file without HDF5.
#pragma once
#include <memory>
#include <string>

#include "formats/hdf5/hdf5_contents.h"
#include "formats/read_options.h"
#include "formats/record_reader.h"

namespace feedrate {

/// An HDF5 file of which everything is known that HDF5 can say. Const methods may be called from
/// any thread, and in a forked process: none of them calls HDF5.
class Hdf5Direct {
 public:
  virtual ~Hdf5Direct() = default;
  /// Outlived by this.
  [[nodiscard]] virtual std::unique_ptr<RecordCursor> open_cursor() const = 0;
};

/// Null where HDF5 has to read the records. `contents` outlives what is returned.
[[nodiscard]] std::unique_ptr<Hdf5Direct> open_hdf5_direct(const std::string& path,
                                                           const Hdf5Contents& contents,
                                                           const ReadOptions& options);

}  // namespace feedrate
