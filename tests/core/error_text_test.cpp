// SPDX-License-Identifier: Apache-2.0

#include <filesystem>
#include <new>
#include <system_error>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(ErrorText, is_the_message_of_our_own_errors) {
  EXPECT_EQ(error_text(ConfigError("s.yaml: is wrong")), "s.yaml: is wrong");
}

TEST(ErrorText, says_that_memory_ran_out) {
  EXPECT_THAT(error_text(std::bad_alloc()),
              AllOf(HasSubstr("memory"), HasSubstr("ulimit -v"), Not(HasSubstr("bad_alloc"))));
}

TEST(ErrorText, names_the_file_of_the_standard_library) {
  const std::filesystem::filesystem_error error("status", "a/b",
                                                std::make_error_code(std::errc::permission_denied));
  EXPECT_EQ(error_text(error), "a/b: cannot be used: Permission denied");
}

TEST(ErrorText, reports_that_the_process_limit_is_reached) {
  const std::system_error error(std::make_error_code(std::errc::resource_unavailable_try_again));
  EXPECT_THAT(error_text(error), AllOf(HasSubstr("threads"), HasSubstr("ulimit -u")));
}

}  // namespace
}  // namespace feedrate
