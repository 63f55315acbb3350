// SPDX-License-Identifier: Apache-2.0
// Every error that feedrate throws. what() names the faulty thing first (file, key, axis), then
// what is wrong, then what to do.
#pragma once
#include <cstdint>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

namespace feedrate {

class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The user's flag or YAML is wrong. Thrown before anything is measured; exit code 2.
class ConfigError : public Error {
 public:
  using Error::Error;
};

struct DataLocation {
  std::string file;
  std::optional<std::uint64_t> record = std::nullopt;  ///< index in the dataset
  std::optional<std::uint64_t> offset = std::nullopt;  ///< byte offset in `file`
};

/// "data/a.tar: record 17 at byte 4096"
[[nodiscard]] std::string to_string(const DataLocation& location);

/// A data file is damaged or not what it claims to be. Fails one cell.
class FormatError : public Error {
 public:
  using Error::Error;
  FormatError(const DataLocation& location, std::string_view problem);
};

/// A server refused, or did not answer within the time limit and the retries. Fails one cell.
class ServerError : public Error {
 public:
  using Error::Error;
};

/// A device call failed. Fails one cell.
class DeviceError : public Error {
 public:
  using Error::Error;
};

/// The stop token ended the work (Ctrl-C, a cell's time limit).
class Cancelled : public Error {
 public:
  Cancelled() : Error("cancelled") {}
};

/// A system call failed; the message ends with the system's text. The caller decides whether it
/// fails the cell or the program.
class SystemError : public Error {
 public:
  /// `subject` names the file or resource, `action` what failed: "data/x.png: cannot open: No
  /// such file or directory".
  SystemError(std::string_view subject, std::string_view action, int error_number);
};

/// The message of any error, what() of our own ones: it names the faulty thing, too, where the
/// standard library's text does not.
[[nodiscard]] std::string error_text(const std::exception& error);

}  // namespace feedrate
