// SPDX-License-Identifier: Apache-2.0
// Calls of HDF5: lock, handles, errors. Identifiers are std::int64_t, which equals HDF5's hid_t.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace feedrate {

/// Locks HDF5 while it lives; every call of HDF5 needs one. A library that is not thread-safe
/// admits one thread at a time; a thread-safe one has the same lock inside. Either way concurrent
/// readers of HDF5 serialize, which a sweep measures as a property of the format. Also keeps HDF5
/// from printing errors to stderr in this thread.
class Hdf5Session {
 public:
  Hdf5Session();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

class Hdf5Handle {
 public:
  using Close = int (*)(std::int64_t);

  Hdf5Handle() = default;
  Hdf5Handle(std::int64_t id, Close closer) noexcept : id_(id), close_(closer) {}
  Hdf5Handle(Hdf5Handle&& other) noexcept
      : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Hdf5Handle& operator=(Hdf5Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Hdf5Handle() { (void)close(); }

  [[nodiscard]] std::int64_t get() const noexcept { return id_; }
  /// Returns HDF5's result: negative if it failed. Does nothing the second time.
  int close() noexcept;

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

/// Throws if `result` is negative: SystemError if the system refused, else FormatError with HDF5's
/// message.
void check_hdf5_read(std::int64_t result, const DataLocation& location, std::string_view action);
/// check_hdf5_read() for writing.
void check_hdf5_write(std::int64_t result, const std::string& path, std::string_view action);

}  // namespace feedrate
