// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program, gives its main thread a clock that moves only while that thread waits:
// work takes no time, and a sleep ends at once. Other threads keep the machine's clock, and forked
// workers get a clock of their own.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// A thread that reads the clock kLooks times without a sleep is spinning, so the clock advances by
// a step. Work reads the clock less often.
enum { kLooks = 500, kStep = 10000 };
static const long long kSecond = 1000000000;

static long long now_ns;  // the main thread's
static int looks;
static _Thread_local int is_main = -1;

static void forked(void) { is_main = 1; }

static int on_main_thread(void) {
  if (is_main < 0) is_main = syscall(SYS_gettid) == getpid();
  return is_main;
}

static long long nanoseconds(const struct timespec* time) {
  return time->tv_sec * kSecond + time->tv_nsec;
}

static struct timespec timespec_of(long long time) {
  return (struct timespec){time / kSecond, time % kSecond};
}

static long long real_now(void) {
  struct timespec time;
  syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &time);
  return nanoseconds(&time);
}

static void move_to(long long time) {
  if (time > now_ns) now_ns = time;
  looks = 0;
}

__attribute__((constructor)) static void begin(void) {
  now_ns = real_now();
  pthread_atfork(NULL, NULL, forked);
}

// The time since boot differs from the monotonic time by that of suspends.
static int is_ours(clockid_t clock) {
  return clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_THREAD_CPUTIME_ID;
}

int clock_gettime(clockid_t clock, struct timespec* time) {
  if (!is_ours(clock) || !on_main_thread()) {
    return (int)syscall(SYS_clock_gettime, clock, time);
  }
  if (++looks >= kLooks) move_to(now_ns + kStep);
  *time = timespec_of(now_ns);
  return 0;
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec* until,
                    struct timespec* rest) {
  if (clock != CLOCK_MONOTONIC || flags != TIMER_ABSTIME || !on_main_thread()) {
    return syscall(SYS_clock_nanosleep, clock, flags, until, rest) == 0 ? 0 : errno;
  }
  move_to(nanoseconds(until));
  return 0;
}

// Other threads can end this wait in real time, so it lasts its real duration.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* until) {
  static int (*next)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  if (!next) *(void**)&next = dlsym(RTLD_NEXT, "pthread_cond_clockwait");
  if (clock != CLOCK_MONOTONIC || !on_main_thread()) return next(condition, mutex, clock, until);
  const struct timespec real = timespec_of(real_now() + nanoseconds(until) - now_ns);
  const int code = next(condition, mutex, clock, &real);
  if (code == ETIMEDOUT) move_to(nanoseconds(until));
  return code;
}
