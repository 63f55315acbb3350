// SPDX-License-Identifier: Apache-2.0
#include "device/nvidia_folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scoped_variable.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::ScopedVariable;
using ::testing::StartsWith;

TEST(NvidiaFolders, begin_with_those_of_the_chosen_python) {
  const ScopedVariable python("FEEDRATE_PYTHON", "/venv/bin/python3");
  EXPECT_EQ(nvidia_folders().front(), "/venv/lib/python3*/site-packages/nvidia/*/lib");
}

TEST(NvidiaFolders, include_those_of_each_python_on_the_path) {
  const ScopedVariable path("PATH", "relative/bin:/opt/torch/bin:/usr/local/bin");
  EXPECT_THAT(nvidia_folders(),
              AllOf(Contains("/opt/torch/lib/python3*/site-packages/nvidia/*/lib"),
                    Contains("/usr/local/lib/python3*/dist-packages/nvidia/*/lib"),
                    Each(StartsWith("/")), Each(Not(HasSubstr("relative")))));
}

TEST(NvidiaFolders, include_those_of_an_active_environment) {
  const ScopedVariable venv("VIRTUAL_ENV", "/venv");
  const ScopedVariable conda("CONDA_PREFIX", "/conda");
  EXPECT_THAT(nvidia_folders(), AllOf(Contains("/venv/lib/python3*/site-packages/nvidia/*/lib"),
                                      Contains("/conda/lib/python3*/site-packages/nvidia/*/lib"),
                                      Contains("/conda/lib")));
}

TEST(NvidiaFolders, include_those_of_a_toolkit) {
  const ScopedVariable toolkit("CUDA_HOME", "/cuda");
  EXPECT_THAT(nvidia_folders(), AllOf(Contains("/cuda/extras/CUPTI/lib64"), Contains("/cuda/lib64"),
                                      Contains("/usr/local/cuda*/lib64")));
}

TEST(NvidiaFolders, of_one_package_are_searched_in_each_python) {
  const ScopedVariable venv("VIRTUAL_ENV", "/venv");
  EXPECT_THAT(python_packages("torchvision.libs/libnvjpeg*.so.1[23]*"),
              AllOf(Contains("/venv/lib/python3*/site-packages/torchvision.libs/"
                             "libnvjpeg*.so.1[23]*"),
                    Contains("/venv/lib/python3*/dist-packages/torchvision.libs/"
                             "libnvjpeg*.so.1[23]*")));
}

}  // namespace
}  // namespace feedrate
