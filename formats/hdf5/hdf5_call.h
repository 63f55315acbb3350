// SPDX-License-Identifier: Apache-2.0
// Calling HDF5: its lock, its handles, its errors. No HDF5 type appears here; an identifier is
// HDF5's hid_t, a 64-bit integer.
#pragma once
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "core/error.h"

namespace feedrate {

/// To be held around calls of HDF5. A library that was not built thread-safe may be entered by one
/// thread at a time, and this lock sees to it; a thread-safe one has the same lock inside. Either
/// way threads that read HDF5 take turns, which is a property of the format that a sweep shows.
/// Also keeps HDF5 from printing its errors to stderr in this thread.
class Hdf5Session {
 public:
  Hdf5Session();

 private:
  std::unique_lock<std::recursive_mutex> lock_;
};

/// Owns one HDF5 identifier.
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
  /// HDF5's result: negative if it failed. Does nothing the second time.
  int close() noexcept;

 private:
  std::int64_t id_ = -1;
  Close close_ = nullptr;
};

/// If `result` is negative: throws SystemError where the system refused, else FormatError with
/// HDF5's own words.
void check_hdf5_read(std::int64_t result, const DataLocation& location, std::string_view action);
/// Same for writing.
void check_hdf5_write(std::int64_t result, const std::string& path, std::string_view action);

}  // namespace feedrate
