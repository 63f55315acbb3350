// SPDX-License-Identifier: Apache-2.0
// Most machines have no nvJPEG: only how it is looked for.
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

TEST(Nvjpeg, that_is_nowhere_says_what_was_tried_and_what_helps) {
  EXPECT_THAT([] { const Library library(search_for_nvjpeg("libfeedrate-no-such.so.13")); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("decoder nvjpeg"),
                                               HasSubstr("libfeedrate-no-such.so.13"),
                                               HasSubstr("nvidia-nvjpeg"))));
}

TEST(Nvjpeg, that_is_another_library_is_refused) {
  EXPECT_THAT([] { const Library library(search_for_nvjpeg("libm.so.6")); },
              ThrowsMessage<DeviceError>(HasSubstr("lacks nvjpegGetProperty")));
}

TEST(Nvjpeg, of_two_versions_may_be_named_by_the_environment) {
  const LibrarySearch search = library_search();
  EXPECT_THAT(search.names, ElementsAre("libnvjpeg.so.13", "libnvjpeg.so.12"));
  EXPECT_EQ(search.environment_variable, "FEEDRATE_NVJPEG");
}

TEST(Nvjpeg, may_be_torchvisions) {
  const ScopedVariable venv("VIRTUAL_ENV", "/venv");
  EXPECT_THAT(library_search().files,
              Contains("/venv/lib/python3*/site-packages/torchvision.libs/libnvjpeg*.so.1[23]*"));
}

TEST(Nvjpeg, blames_a_file_only_where_it_is_to_blame) {
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
