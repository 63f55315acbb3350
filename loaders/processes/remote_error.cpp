// SPDX-License-Identifier: Apache-2.0
#include "loaders/processes/remote_error.h"

#include <stdexcept>

#include <fmt/format.h>
#include <unistd.h>

#include "core/error.h"

namespace feedrate {
namespace {

// SystemError's constructor appends the error number's text, which `text` already contains: assign
// only the base class that holds the text.
SystemError system_error(const std::string& text) {
  SystemError error("", "", 0);
  static_cast<std::runtime_error&>(error) = std::runtime_error(text);
  return error;
}

RemoteError describe(ErrorKind kind, std::string_view text, std::size_t worker) {
  return {kind, fmt::format("{} (in worker process {}, pid {})", text, worker, ::getpid())};
}

}  // namespace

RemoteError describe_current_exception(std::size_t worker) {
  try {
    throw;
  } catch (const ConfigError& error) {
    return describe(ErrorKind::kConfig, error.what(), worker);
  } catch (const FormatError& error) {
    return describe(ErrorKind::kFormat, error.what(), worker);
  } catch (const DeviceError& error) {
    return describe(ErrorKind::kDevice, error.what(), worker);
  } catch (const SystemError& error) {
    return describe(ErrorKind::kSystem, error.what(), worker);
  } catch (const std::exception& error) {
    return describe(ErrorKind::kOther, error.what(), worker);
  } catch (...) {
    return describe(ErrorKind::kOther, "an exception that is not a std::exception", worker);
  }
}

std::exception_ptr rebuild(const RemoteError& error) {
  switch (error.kind) {
    case ErrorKind::kConfig:
      return std::make_exception_ptr(ConfigError(error.text));
    case ErrorKind::kFormat:
      return std::make_exception_ptr(FormatError(error.text));
    case ErrorKind::kDevice:
      return std::make_exception_ptr(DeviceError(error.text));
    case ErrorKind::kSystem:
      return std::make_exception_ptr(system_error(error.text));
    case ErrorKind::kOther:
      break;
  }
  return std::make_exception_ptr(Error(error.text));
}

}  // namespace feedrate
