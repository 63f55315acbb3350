// SPDX-License-Identifier: Apache-2.0
// Functions that the program and libstdc++.a call and an older glibc lacks; see OldGlibc.cmake.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// ld moves a variable of libc that is used here into the program. If the variable has several
// names, ld moves all of them if they have one address, as in libc; in zig's libraries each has its
// own.
__attribute__((visibility("default"))) char** __environ;
extern char** environ __attribute__((alias("__environ"), visibility("default")));
extern char** _environ __attribute__((alias("__environ"), visibility("default")));

// glibc 2.32. Never true: std::shared_ptr then always counts by atomic instructions.
char __libc_single_threaded = 0;

// glibc 2.30.
pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); }

// glibc 2.36: expat salts its hashes with arc4random_buf(), std::random_device uses arc4random().
void arc4random_buf(void* bytes, size_t size) {
  char* at = bytes;
  while (size > 0) {
    const ssize_t got = getrandom(at, size, 0);
    if (got < 0 && errno != EINTR) abort();
    if (got > 0) {
      at += got;
      size -= (size_t)got;
    }
  }
}
uint32_t arc4random(void) {
  uint32_t drawn;
  arc4random_buf(&drawn, sizeof drawn);
  return drawn;
}

// glibc 2.32.
const char* sigabbrev_np(int number) {
  static const char* const names[] = {
      [SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
      [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",     [SIGBUS] = "BUS",   [SIGFPE] = "FPE",
      [SIGKILL] = "KILL", [SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
      [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",     [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT",
      [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",     [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
      [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",
      [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH",
      [SIGPOLL] = "POLL", [SIGPWR] = "PWR",       [SIGSYS] = "SYS"};
  return number >= 0 && number < (int)(sizeof names / sizeof *names) ? names[number] : NULL;
}

// glibc 2.30: std::condition_variable waits with it for a time of the steady clock. The C library's
// own function is used if there is one; it is looked up before the program's constructors run.
typedef int Clockwait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
static Clockwait* own_clockwait;
__attribute__((constructor(101))) static void find_own(void) {
  *(void**)&own_clockwait = dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
}

static long long nanoseconds(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return now.tv_sec * 1000000000LL + now.tv_nsec;
}

int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const struct timespec* end) {
  if (own_clockwait) {
    return own_clockwait(condition, mutex, clock, end);
  }
  const long long left = end->tv_sec * 1000000000LL + end->tv_nsec - nanoseconds(clock);
  if (left <= 0) {
    return ETIMEDOUT;
  }
  // pthread_cond_timedwait() uses a clock that can be set. Waits at most a second by it, then
  // returns as from a spurious wake-up, which is always allowed: a clock that is set back delays
  // the end by at most a second.
  const long long until = nanoseconds(CLOCK_REALTIME) + (left < 1000000000LL ? left : 1000000000LL);
  const struct timespec real_end = {until / 1000000000LL, until % 1000000000LL};
  const int code = pthread_cond_timedwait(condition, mutex, &real_end);
  return code == ETIMEDOUT ? 0 : code;
}
