// SPDX-License-Identifier: Apache-2.0
// Tests only the search for the library, which most machines lack.
#include "device/cuda/nvjpeg_library.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/scoped_variable.h"

namespace feedrate::nvjpeg {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::ScopedVariable;
using ::testing::ThrowsMessage;

LibrarySearch search_for_nvjpeg(const char* name) {
  return {.names = {name}, .environment_variable = "FEEDRATE_NO_SUCH_VARIABLE"};
}

TEST(Nvjpeg, a_missing_library_is_reported_with_the_tried_files_and_a_remedy) {
  EXPECT_THAT([] { const Library library(search_for_nvjpeg("libfeedrate-no-such.so.13")); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("decoder nvjpeg"),
                                               HasSubstr("libfeedrate-no-such.so.13"),
                                               HasSubstr("nvidia-nvjpeg"))));
}

TEST(Nvjpeg, another_library_of_that_name_is_refused) {
  EXPECT_THAT([] { const Library library(search_for_nvjpeg("libm.so.6")); },
              ThrowsMessage<DeviceError>(HasSubstr("lacks nvjpegGetProperty")));
}

TEST(Nvjpeg, two_versions_are_tried_and_the_environment_may_name_one) {
  const LibrarySearch search = library_search();
  EXPECT_THAT(search.names, ElementsAre("libnvjpeg.so.13", "libnvjpeg.so.12"));
  EXPECT_EQ(search.environment_variable, "FEEDRATE_NVJPEG");
}

TEST(Nvjpeg, torchvisions_copy_is_searched) {
  const ScopedVariable venv("VIRTUAL_ENV", "/venv");
  EXPECT_THAT(library_search().files,
              Contains("/venv/lib/python3*/site-packages/torchvision.libs/libnvjpeg*.so.1[23]*"));
}

TEST(Nvjpeg, distinguishes_file_errors_from_device_errors) {
  EXPECT_NO_THROW(Library::check(kSuccess, "nvjpegDecodeBatched"));
  for (const int status : {kBadJpeg, kNotSupported, kIncomplete}) {
    EXPECT_THROW(Library::check(status, "nvjpegDecodeBatched"), FormatError) << status;
  }
  EXPECT_THAT(
      [] { Library::check(6, "nvjpegDecodeBatched"); },
      ThrowsMessage<DeviceError>(AllOf(HasSubstr("nvjpegDecodeBatched"), HasSubstr("status 6"))));
}

}  // namespace
}  // namespace feedrate::nvjpeg
