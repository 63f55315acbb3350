// SPDX-License-Identifier: Apache-2.0
// An exception on its way from a worker process: its class and its text.
#pragma once
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>

namespace feedrate {

/// The classes that an exception keeps. All else becomes an Error, as in PyTorch a class that
/// cannot be rebuilt becomes a RuntimeError.
enum class ErrorKind : std::uint32_t { kOther, kConfig, kFormat, kDevice, kSystem };

struct RemoteError {
  ErrorKind kind = ErrorKind::kOther;
  std::string text;
};

/// In a catch block of the worker.
[[nodiscard]] RemoteError describe_current_exception(std::size_t worker);
/// In the parent: an exception of the same class with the same text.
[[nodiscard]] std::exception_ptr rebuild(const RemoteError& error);

}  // namespace feedrate
