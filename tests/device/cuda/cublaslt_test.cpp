// SPDX-License-Identifier: Apache-2.0
// The library itself is half a gigabyte, and most machines have none: only how it is looked for.
#include "device/cuda/cublaslt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace feedrate::cublaslt {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

LibrarySearch search_for(const char* name) {
  return {.names = {name}, .environment_variable = "FEEDRATE_NO_SUCH_VARIABLE"};
}

TEST(Cublaslt, that_is_nowhere_says_what_was_tried_and_what_helps) {
  EXPECT_THAT([] { const Library library(search_for("libfeedrate-no-such.so.13")); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("trainer gemm"),
                                               HasSubstr("libfeedrate-no-such.so.13"),
                                               HasSubstr("CUDA toolkit"))));
}

TEST(Cublaslt, that_is_another_library_is_refused) {
  EXPECT_THAT([] { const Library library(search_for("libm.so.6")); },
              ThrowsMessage<DeviceError>(HasSubstr("lacks cublasLtCreate")));
}

TEST(Cublaslt, of_two_versions_may_be_named_by_the_environment) {
  const LibrarySearch search = library_search();
  EXPECT_THAT(search.names, ElementsAre("libcublasLt.so.13", "libcublasLt.so.12"));
  EXPECT_EQ(search.environment_variable, "FEEDRATE_CUBLASLT");
}

TEST(Cublaslt, tells_a_failed_call_and_its_status) {
  EXPECT_NO_THROW(Library::check(kSuccess, "cublasLtMatmul"));
  EXPECT_THAT([] { Library::check(15, "cublasLtMatmul"); },
              ThrowsMessage<DeviceError>(
                  AllOf(HasSubstr("cublasLtMatmul"), HasSubstr("CUBLAS_STATUS_NOT_SUPPORTED"))));
}

}  // namespace
}  // namespace feedrate::cublaslt
