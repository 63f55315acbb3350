// SPDX-License-Identifier: Apache-2.0
// An exception sent from a worker process: its class and its text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace feedrate {

/// The exception classes that are preserved. Any other becomes an Error, as PyTorch turns a class
/// that it cannot rebuild into a RuntimeError.
enum class ErrorKind : std::uint32_t { kOther, kConfig, kFormat, kDevice, kSystem };

struct RemoteError {
  ErrorKind kind = ErrorKind::kOther;
  std::string text;
};

/// REQUIRES: called in a catch block of the worker
[[nodiscard]] RemoteError describe_current_exception(std::size_t worker);
/// Called in the parent: makes an exception of the same class with the same text.
[[nodiscard]] std::exception_ptr rebuild(const RemoteError& error);

}  // namespace feedrate
