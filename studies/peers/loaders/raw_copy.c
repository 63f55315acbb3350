// SPDX-License-Identifier: Apache-2.0
/* Measures how fast memcpy() copies: each thread copies its part of one buffer repeatedly.
 *
 *   raw_copy BYTES THREADS SECONDS
 *
 * Prints bytes per second as JSON. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { kMostThreads = 256 };

typedef struct {
  pthread_t thread;
  pthread_barrier_t* start;
  char* target;
  const char* source;
  size_t bytes;
  double seconds;
  double rate;
} Part;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void* copy(void* argument) {
  Part* part = argument;
  memcpy(part->target, part->source, part->bytes);
  pthread_barrier_wait(part->start);
  uint64_t copies = 0;
  const double begin = now();
  double end = begin;
  for (; end - begin < part->seconds; end = now(), ++copies) {
    memcpy(part->target, part->source, part->bytes);
    __asm__ volatile("" : : "r"(part->target) : "memory"); /* keeps the copy */
  }
  part->rate = (double)copies * (double)part->bytes / (end - begin);
  return NULL;
}

int main(int argc, char** argv) {
  const size_t bytes = argc == 4 ? strtoull(argv[1], NULL, 10) : 0;
  const int threads = argc == 4 ? atoi(argv[2]) : 0;
  if (bytes == 0 || threads < 1 || threads > kMostThreads) {
    fprintf(stderr, "usage: raw_copy BYTES THREADS SECONDS\n");
    return 2;
  }
  char* source = malloc(bytes);
  char* target = malloc(bytes);
  static Part parts[kMostThreads];
  pthread_barrier_t start;
  if (!source || !target || pthread_barrier_init(&start, NULL, (unsigned)threads) != 0) {
    fprintf(stderr, "%zu bytes are not available twice\n", bytes);
    return 1;
  }
  memset(source, 1, bytes);
  const size_t each = bytes / (size_t)threads;
  for (int i = 0; i < threads; ++i) {
    const size_t at = each * (size_t)i;
    parts[i] = (Part){.start = &start,
                      .target = target + at,
                      .source = source + at,
                      .bytes = each,
                      .seconds = atof(argv[3])};
    if (pthread_create(&parts[i].thread, NULL, copy, &parts[i]) != 0) {
      fprintf(stderr, "%d threads are not available\n", threads);
      return 1;
    }
  }
  double sum = 0;
  for (int i = 0; i < threads; ++i) {
    pthread_join(parts[i].thread, NULL);
    sum += parts[i].rate;
  }
  printf("{\"value\": %.17g}\n", sum);
  return 0;
}
