// SPDX-License-Identifier: Apache-2.0
#include "core/shared_library.h"

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scoped_variable.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::ScopedVariable;
using ::testing::StartsWith;
using testing::TempFolder;

constexpr const char* kVariable = "FEEDRATE_FAKE_PATH";

LibraryFound find(std::vector<std::string> names) {
  return find_library({.names = std::move(names), .environment_variable = kVariable});
}

TEST(SharedLibrary, is_found_by_its_name_and_its_functions_can_be_called) {
  const LibraryFound found = find({FAKE_LIBRARY});
  ASSERT_TRUE(found.library) << found.problem;
  EXPECT_THAT(found.problem, IsEmpty());
  EXPECT_EQ(found.library.name(), FAKE_LIBRARY);
  EXPECT_EQ(reinterpret_cast<int (*)()>(found.library.symbol("fake_answer"))(), 42);
}

TEST(SharedLibrary, the_first_name_that_loads_is_taken) {
  EXPECT_EQ(find({"libno-such-thing.so.1", FAKE_LIBRARY, "libc.so.6"}).library.name(),
            FAKE_LIBRARY);
}

TEST(SharedLibrary, the_environment_names_the_only_file_that_is_tried) {
  const ScopedVariable variable(kVariable, FAKE_LIBRARY);
  EXPECT_EQ(find({"libc.so.6"}).library.name(), FAKE_LIBRARY);
}

TEST(SharedLibrary, an_empty_variable_counts_as_not_set) {
  const ScopedVariable variable(kVariable, "x");
  ::setenv(kVariable, "", 1);
  EXPECT_EQ(find({FAKE_LIBRARY}).library.name(), FAKE_LIBRARY);
}

TEST(SharedLibrary, a_wrong_name_in_the_environment_is_not_replaced) {
  const ScopedVariable variable(kVariable, "/no/such/file.so");
  const LibraryFound found = find({FAKE_LIBRARY});
  EXPECT_FALSE(found.library);
  EXPECT_THAT(found.problem,
              AllOf(StartsWith("FEEDRATE_FAKE_PATH=/no/such/file.so: cannot be loaded"),
                    HasSubstr("No such file"), HasSubstr("unset it")));
}

TEST(SharedLibrary, a_missing_one_is_named_with_its_environment_variable) {
  const LibraryFound found = find({"libno-such-thing.so.1", "libno-such-thing.so"});
  EXPECT_FALSE(found.library);
  EXPECT_EQ(found.problem,
            "libno-such-thing.so.1, libno-such-thing.so: not found in the library path; set "
            "FEEDRATE_FAKE_PATH to its location");
}

TEST(SharedLibrary, is_looked_for_in_folders_where_the_loader_finds_none) {
  const TempFolder folder;
  std::filesystem::create_directories(folder / "nvidia/cu13/lib");
  std::filesystem::copy(FAKE_LIBRARY, folder / "nvidia/cu13/lib/libno-such-thing.so.1");
  const LibraryFound found =
      find_library({.names = {"libno-such-thing.so.2", "libno-such-thing.so.1"},
                    .environment_variable = kVariable,
                    .folders = {(folder / "none").string(), (folder / "nvidia/*/lib").string()}});
  ASSERT_TRUE(found.library) << found.problem;
  EXPECT_EQ(found.library.name(), folder / "nvidia/cu13/lib/libno-such-thing.so.1");
}

TEST(SharedLibrary, is_looked_for_under_other_names_last) {
  const TempFolder folder;
  std::filesystem::copy(FAKE_LIBRARY, folder / "libno-such-thing.4a0b.so.1");
  const LibraryFound found =
      find_library({.names = {"libno-such-thing.so.1"},
                    .environment_variable = kVariable,
                    .folders = {folder.path().string()},
                    .files = {(folder / "libno-such-thing*.so.[12]").string()}});
  ASSERT_TRUE(found.library) << found.problem;
  EXPECT_EQ(found.library.name(), folder / "libno-such-thing.4a0b.so.1");
}

TEST(SharedLibrary, a_file_that_does_not_load_is_not_reported_as_missing) {
  const TempFolder folder;
  const std::string broken = folder / "broken.so";
  testing::write_file(broken, "not a library, but longer than the header of one would have to be");
  const LibraryFound found = find({"libno-such-thing.so.1", broken});
  EXPECT_FALSE(found.library);
  EXPECT_THAT(found.problem, AllOf(StartsWith(broken + ": cannot be loaded: "), HasSubstr("ELF")));
}

bool is_in_the_process() {
  void* handle = ::dlopen(FAKE_LIBRARY, RTLD_NOW | RTLD_NOLOAD);
  if (handle) ::dlclose(handle);
  return handle != nullptr;
}

TEST(SharedLibrary, is_unloaded_with_its_owner_unless_it_must_stay) {
  ASSERT_FALSE(is_in_the_process()) << "another test left it";
  static_cast<void>(find({FAKE_LIBRARY}));
  EXPECT_FALSE(is_in_the_process());
  static_cast<void>(find_library(
      {.names = {FAKE_LIBRARY}, .environment_variable = kVariable, .keep_loaded = true}));
  EXPECT_TRUE(is_in_the_process());
}

TEST(SymbolLoader, fills_what_is_there_and_names_what_is_missing) {
  const LibraryFound found = find({FAKE_LIBRARY});
  SymbolLoader loader(found.library);
  int (*answer)() = nullptr;
  int (*missing)() = answer;
  int (*optional)() = answer;
  loader.required(answer, "fake_answer");
  loader.optional(optional, "fake_extra");
  EXPECT_THAT(loader.problem(), IsEmpty());
  loader.required(missing, "fake_question");
  loader.required(missing, "fake_riddle");
  EXPECT_EQ(answer(), 42);
  EXPECT_EQ(optional, nullptr);
  EXPECT_EQ(missing, nullptr);
  EXPECT_EQ(loader.problem(),
            std::string(FAKE_LIBRARY) +
                ": lacks fake_question, fake_riddle; it is too old, or a different library");
}

}  // namespace
}  // namespace feedrate
