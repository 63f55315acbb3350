// SPDX-License-Identifier: Apache-2.0
// An exception from a worker keeps its class and its text.
#include "loaders/processes/remote_error.h"

#include <cerrno>
#include <new>
#include <stdexcept>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "core/error.h"

namespace feedrate {
namespace {

template <typename Thrown>
RemoteError describe(const Thrown& thrown) {
  try {
    throw thrown;
  } catch (...) {
    return describe_current_exception(3);
  }
}

// Returns what() of the rebuilt exception, which must be of exactly this class.
template <typename Expected, typename Thrown>
std::string sent(const Thrown& thrown) {
  try {
    std::rethrow_exception(rebuild(describe(thrown)));
  } catch (const std::exception& error) {
    EXPECT_EQ(typeid(error), typeid(Expected)) << error.what();
    return error.what();
  }
}

std::string with_origin(const std::string& text) {
  return text + " (in worker process 3, pid " + std::to_string(::getpid()) + ")";
}

TEST(RemoteError, keeps_feedrates_classes) {
  EXPECT_EQ(sent<Error>(Error("a")), with_origin("a"));
  EXPECT_EQ(sent<ConfigError>(ConfigError("b")), with_origin("b"));
  EXPECT_EQ(sent<FormatError>(FormatError({.file = "f"}, "c")), with_origin("f: c"));
  EXPECT_EQ(sent<DeviceError>(DeviceError("d")), with_origin("d"));
}

TEST(RemoteError, has_the_text_of_errno_once) {
  EXPECT_EQ(sent<SystemError>(SystemError("x.png", "cannot open", ENOENT)),
            with_origin("x.png: cannot open: No such file or directory"));
}

TEST(RemoteError, makes_an_error_of_any_other_class) {
  EXPECT_EQ(sent<Error>(std::logic_error("e")), with_origin("e"));
  EXPECT_EQ(sent<Error>(std::bad_alloc()), with_origin("std::bad_alloc"));
  EXPECT_EQ(sent<Error>(42), with_origin("an exception that is not a std::exception"));
}

}  // namespace
}  // namespace feedrate
