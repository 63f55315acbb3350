// SPDX-License-Identifier: Apache-2.0
// Tests only the search for the library: it has half a gigabyte, and most machines lack it.
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

TEST(Cublaslt, a_missing_library_is_reported_with_the_tried_files_and_a_remedy) {
  EXPECT_THAT([] { const Library library(search_for("libfeedrate-no-such.so.13")); },
              ThrowsMessage<DeviceError>(AllOf(HasSubstr("trainer gemm"),
                                               HasSubstr("libfeedrate-no-such.so.13"),
                                               HasSubstr("CUDA toolkit"))));
}

TEST(Cublaslt, another_library_of_that_name_is_refused) {
  EXPECT_THAT([] { const Library library(search_for("libm.so.6")); },
              ThrowsMessage<DeviceError>(HasSubstr("lacks cublasLtCreate")));
}

TEST(Cublaslt, two_versions_are_tried_and_the_environment_may_name_one) {
  const LibrarySearch search = library_search();
  EXPECT_THAT(search.names, ElementsAre("libcublasLt.so.13", "libcublasLt.so.12"));
  EXPECT_EQ(search.environment_variable, "FEEDRATE_CUBLASLT");
}

TEST(Cublaslt, a_failed_call_is_reported_with_its_status) {
  EXPECT_NO_THROW(Library::check(kSuccess, "cublasLtMatmul"));
  EXPECT_THAT([] { Library::check(15, "cublasLtMatmul"); },
              ThrowsMessage<DeviceError>(
                  AllOf(HasSubstr("cublasLtMatmul"), HasSubstr("CUBLAS_STATUS_NOT_SUPPORTED"))));
}

}  // namespace
}  // namespace feedrate::cublaslt
