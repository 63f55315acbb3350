// SPDX-License-Identifier: Apache-2.0
#include "formats/hdf5/hdf5_call.h"

#include <cerrno>
#include <charconv>
#include <type_traits>

#include <fmt/format.h>
#include <hdf5.h>

namespace feedrate {
namespace {

static_assert(std::is_same_v<hid_t, std::int64_t>, "HDF5 1.10 or newer is needed");

std::recursive_mutex& library_mutex() {
  // One lock, because HDF5's state is global in the process.
  static std::recursive_mutex mutex;
  return mutex;
}

// HDF5's cleanup at exit crashes if a full disk kept it from closing a file. It is not needed,
// since owners close all that they open. H5dont_atexit() must be the first call of HDF5.
bool start_library() {
  (void)H5dont_atexit();
  return H5open() >= 0;
}

bool library_is_threadsafe() {
  hbool_t threadsafe = 0;
  return start_library() && H5is_library_threadsafe(&threadsafe) >= 0 && threadsafe;
}

void silence_this_thread() {
  // A thread-safe HDF5 has this setting per thread.
  thread_local bool silent = false;
  if (!silent) silent = H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr) >= 0;
}

// The innermost message is the cause, except for a missing filter: below it HDF5 only lists where
// it searched for plugins.
herr_t keep_cause(unsigned n, const H5E_error2_t* error, void* text) {
  const std::string_view message = error->desc == nullptr ? "" : error->desc;
  if (n == 0 || message.starts_with("required filter")) *static_cast<std::string*>(text) = message;
  return 0;
}

std::string cause_of_failure() {
  std::string text;
  if (H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_cause, &text) < 0 || text.empty()) {
    text = "no reason from HDF5";
  }
  return text;
}

// HDF5's file driver writes "…, errno = 28, error message = 'No space left on device', …".
int errno_in(std::string_view text) {
  constexpr std::string_view kMark = "errno = ";
  const std::size_t at = text.find(kMark);
  if (at == std::string_view::npos) return 0;
  int number = 0;
  const std::string_view digits = text.substr(at + kMark.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

}  // namespace

Hdf5Session::Hdf5Session() {
  static const bool threadsafe = library_is_threadsafe();
  if (!threadsafe) lock_ = std::unique_lock(library_mutex());
  silence_this_thread();
}

int Hdf5Handle::close() noexcept {
  if (id_ < 0) return 0;
  const Hdf5Session session;
  return close_(std::exchange(id_, -1));
}

void check_hdf5_read(std::int64_t result, const DataLocation& location, std::string_view action) {
  if (result >= 0) return;
  const std::string reason = cause_of_failure();
  if (const int number = errno_in(reason); number != 0) {
    throw SystemError(location.file, action, number);
  }
  throw FormatError(location, fmt::format("{}: {}", action, reason));
}

void check_hdf5_write(std::int64_t result, const std::string& path, std::string_view action) {
  check_hdf5_read(result, {.file = path}, action);
}

}  // namespace feedrate
