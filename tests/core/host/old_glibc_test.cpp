// SPDX-License-Identifier: Apache-2.0
// Tests cmake/old_glibc.c, whose functions have other names here, with a C library that has no
// pthread_cond_clockwait().
#include <cerrno>
#include <csignal>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>
#include <pthread.h>
#include <unistd.h>

extern "C" {
pid_t old_gettid();
const char* old_sigabbrev_np(int number);
int old_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                  const timespec* end);
void* no_dlsym(void*, const char*) { return nullptr; }
}

namespace {

timespec in_milliseconds(long milliseconds) {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  time.tv_sec += milliseconds / 1000;
  time.tv_nsec += milliseconds % 1000 * 1'000'000;
  if (time.tv_nsec >= 1'000'000'000) {
    ++time.tv_sec;
    time.tv_nsec -= 1'000'000'000;
  }
  return time;
}

bool is_before(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

struct Condition {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
  bool is_set = false;

  int wait_until(const timespec& end) {
    return old_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &end);
  }
};

TEST(OldGlibc, NamesSignalsAsGlibcDoes) {
  for (int number = -1; number <= SIGRTMAX + 1; ++number) {
    EXPECT_STREQ(old_sigabbrev_np(number), ::sigabbrev_np(number)) << number;
  }
}

TEST(OldGlibc, TellsTheThread) {
  std::thread([] { EXPECT_EQ(old_gettid(), ::gettid()); }).join();
}

TEST(OldGlibc, WaitsUntilTheTime) {
  Condition waited;
  ::pthread_mutex_lock(&waited.mutex);
  EXPECT_EQ(waited.wait_until(in_milliseconds(-1)), ETIMEDOUT);
  const timespec end = in_milliseconds(30);
  while (waited.wait_until(end) == 0) {
  }
  EXPECT_FALSE(is_before(in_milliseconds(0), end));
  ::pthread_mutex_unlock(&waited.mutex);
}

TEST(OldGlibc, WakesUpWithoutACauseWithinASecond) {
  Condition waited;
  ::pthread_mutex_lock(&waited.mutex);
  EXPECT_EQ(waited.wait_until(in_milliseconds(3'600'000)), 0);
  ::pthread_mutex_unlock(&waited.mutex);
}

TEST(OldGlibc, IsWokenUp) {
  Condition waited;
  const timespec end = in_milliseconds(60'000);
  ::pthread_mutex_lock(&waited.mutex);
  std::thread waker([&waited] {
    ::pthread_mutex_lock(&waited.mutex);
    waited.is_set = true;
    ::pthread_cond_signal(&waited.condition);
    ::pthread_mutex_unlock(&waited.mutex);
  });
  while (!waited.is_set) {
    ASSERT_EQ(waited.wait_until(end), 0);
  }
  ::pthread_mutex_unlock(&waited.mutex);
  waker.join();
}

}  // namespace
