// SPDX-License-Identifier: Apache-2.0
/* Measures how fast pread() reads blocks of one file, in order or at random: like fio, without its
 * bookkeeping.
 *
 *   raw_pread read|randread FILE BLOCK SECONDS
 *
 * Prints bytes per second as JSON. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kPage = 4096, kBytesBetweenLooks = 1 << 20 };

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const char* what) {
  perror(what);
  exit(1);
}

int main(int argc, char** argv) {
  const size_t block = argc == 5 ? strtoull(argv[3], NULL, 10) : 0;
  if (block == 0 || (strcmp(argv[1], "read") != 0 && strcmp(argv[1], "randread") != 0)) {
    fprintf(stderr, "usage: raw_pread read|randread FILE BLOCK SECONDS\n");
    return 2;
  }
  const int is_random = strcmp(argv[1], "randread") == 0;
  const double seconds = atof(argv[4]);
  const int file = open(argv[2], O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) fail(argv[2]);
  const uint64_t blocks = (uint64_t)status.st_size / block;
  void* buffer = NULL;
  if (blocks == 0 || posix_memalign(&buffer, kPage, block) != 0) {
    fprintf(stderr, "%s: holds no block of %zu bytes, or there is no memory for it\n", argv[2],
            block);
    return 1;
  }
  const uint64_t between_looks = block < kBytesBetweenLooks ? kBytesBetweenLooks / block : 1;
  uint64_t random = 88172645463325252ULL; /* Marsaglia, Xorshift RNGs, 2003 */
  uint64_t done = 0;
  const double begin = now();
  double end = begin;
  while (end - begin < seconds) {
    for (uint64_t i = 0; i < between_looks; ++i, ++done) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      const uint64_t index = (is_random ? random : done) % blocks;
      if (pread(file, buffer, block, (off_t)(index * block)) != (ssize_t)block) fail(argv[2]);
    }
    end = now();
  }
  printf("{\"value\": %.17g}\n", (double)done * (double)block / (end - begin));
  return 0;
}
