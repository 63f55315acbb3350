#include "formats/mapping_guard.h"

#include <csignal>
#include <memory>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.h"
#include "formats/mapped_file.h"
#include "tests/support/forked_test.h"
#include "tests/support/temp_folder.h"

namespace feedrate {
namespace {

using testing::run_forked;

std::size_t page() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

int value_at(Bytes bytes, std::size_t at) {
  return std::to_integer<int>(*static_cast<const volatile std::byte*>(&bytes[at]));
}

class MappingGuardTest : public ::testing::Test {
 protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); }

  /// Three pages of x, mapped.
  Bytes map() {
    testing::write_file(path(), std::string(3 * page(), 'x'));
    file_ = open_regular_file(path());
    mapped_ = std::make_unique<MappedFile>(file_, path(), ReadOptions{});
    return mapped_->mapping().bytes();
  }
  std::string path() const { return (folder_ / "a").string(); }
  void cut() const { std::filesystem::resize_file(path(), page()); }

  testing::TempFolder folder_;
  OpenFile file_;
  std::unique_ptr<MappedFile> mapped_;
};

/// A mapping that nobody guards, of pages that its file does not have.
Bytes unguarded() {
  const testing::TempFolder folder;
  testing::write_file(folder / "b", "");
  const OpenFile file = open_regular_file((folder / "b").string());
  void* const address = ::mmap(nullptr, page(), PROT_READ, MAP_SHARED, file.fd.get(), 0);
  return {static_cast<const std::byte*>(address), page()};
}

TEST_F(MappingGuardTest, puts_zeros_where_a_file_was_cut_and_says_so) {
  const Bytes bytes = map();
  mapped_->mapping().bring_in(bytes, {});
  cut();
  EXPECT_EQ(value_at(bytes, 0), 'x');
  EXPECT_NO_THROW(mapped_->mapping().bring_in(bytes.first(page()), {}));
  EXPECT_EQ(value_at(bytes, page()), 0);
  EXPECT_THROW(mapped_->mapping().bring_in(bytes.first(page()), {}), FormatError);
}

TEST_F(MappingGuardTest, marks_only_the_mapping_that_a_page_was_missed_in) {
  const Bytes bytes = map();
  const MappedFile other(file_, path(), ReadOptions{});
  cut();
  EXPECT_EQ(value_at(bytes, 2 * page() + 5), 0);
  EXPECT_NO_THROW(other.mapping().bring_in(other.mapping().bytes().first(1), {}));
  EXPECT_THROW(mapped_->mapping().bring_in(bytes.first(1), {}), FormatError);
}

TEST_F(MappingGuardTest, works_in_another_thread) {
  const Bytes bytes = map();
  cut();
  std::jthread([&] { EXPECT_EQ(value_at(bytes, page()), 0); }).join();
  EXPECT_THROW(mapped_->mapping().bring_in(bytes.first(1), {}), FormatError);
}

TEST_F(MappingGuardTest, works_in_a_process_that_reset_its_signals) {
  const Bytes bytes = map();
  cut();
  EXPECT_EQ(run_forked([&] {
              static_cast<void>(::signal(SIGBUS, SIG_DFL));
              restore_mapping_guards();
              return std::to_string(value_at(bytes, page()));
            }),
            "0");
}

TEST_F(MappingGuardTest, begins_without_damage_where_another_ended_with_it) {
  const Bytes bytes = map();
  cut();
  EXPECT_EQ(value_at(bytes, page()), 0);
  mapped_.reset();
  const Bytes again = map();
  EXPECT_NO_THROW(mapped_->mapping().bring_in(again, {}));
}

TEST_F(MappingGuardTest, leaves_what_it_does_not_guard_to_the_system) {
  (void)map();
  EXPECT_DEATH((void)value_at(unguarded(), 0), "");
  EXPECT_DEATH(static_cast<void>(::raise(SIGBUS)), "");
}

TEST_F(MappingGuardTest, leaves_what_it_does_not_guard_to_the_handler_before) {
  const auto fail_in = [this](bool guarded) {
    static_cast<void>(::signal(SIGBUS, [](int) { ::_exit(42); }));
    const Bytes bytes = map();
    cut();
    if (guarded) ::_exit(value_at(bytes, page()));
    (void)value_at(unguarded(), 0);
  };
  EXPECT_EXIT(fail_in(false), ::testing::ExitedWithCode(42), "");
  EXPECT_EXIT(fail_in(true), ::testing::ExitedWithCode(0), "");
}

TEST_F(MappingGuardTest, leaves_a_signal_that_was_ignored_ignored) {
  EXPECT_EXIT(
      {
        static_cast<void>(::signal(SIGBUS, SIG_IGN));
        (void)map();
        static_cast<void>(::raise(SIGBUS));
        ::_exit(7);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace feedrate
