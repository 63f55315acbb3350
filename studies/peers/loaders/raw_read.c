// SPDX-License-Identifier: Apache-2.0
/* Measures the minimum cost of reading records: pread(), or memcpy() from a mapping, in random
 * order.
 *
 *   raw_read pread|memcpy FILE SECONDS < RECORDS     one line per record: offset and size
 *
 * Prints records per second as JSON. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { kMaxRecords = 1 << 20, kBetweenLooks = 256 };

typedef struct {
  off_t offset;
  size_t size;
} Record;

static void fail(const char* what) {
  perror(what);
  exit(1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static size_t read_records(Record* records, size_t file_size, size_t* largest) {
  size_t count = 0;
  unsigned long long offset = 0;
  unsigned long long size = 0;
  while (count < kMaxRecords && scanf("%llu %llu", &offset, &size) == 2) {
    if (offset > file_size || size > file_size - offset) {
      fprintf(stderr, "record %zu: is beyond the end of the file\n", count);
      exit(1);
    }
    records[count].offset = (off_t)offset;
    records[count].size = (size_t)size;
    if (size > *largest) *largest = (size_t)size;
    ++count;
  }
  if (count == 0) {
    fprintf(stderr, "no records on standard input\n");
    exit(1);
  }
  return count;
}

int main(int argc, char** argv) {
  if (argc != 4 || (strcmp(argv[1], "pread") != 0 && strcmp(argv[1], "memcpy") != 0)) {
    fprintf(stderr, "usage: raw_read pread|memcpy FILE SECONDS < RECORDS\n");
    return 2;
  }
  const int is_pread = strcmp(argv[1], "pread") == 0;
  const double seconds = atof(argv[3]);
  const int file = open(argv[2], O_RDONLY);
  struct stat status;
  if (file < 0 || fstat(file, &status) != 0) fail(argv[2]);
  Record* records = malloc(kMaxRecords * sizeof(Record));
  size_t largest = 1;
  if (!records) fail("memory for the records");
  const size_t count = read_records(records, (size_t)status.st_size, &largest);
  char* buffer = malloc(largest);
  const char* map = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, file, 0);
  if (!buffer || map == MAP_FAILED) fail(argv[2]);
  for (off_t page = 0; page < status.st_size; page += 4096)
    buffer[0] ^= map[page]; /* maps all pages first, as for LMDB */

  uint64_t random = 88172645463325252ULL; /* Marsaglia, Xorshift RNGs, 2003 */
  uint64_t done = 0;
  const double begin = now();
  double end = begin;
  while (end - begin < seconds) {
    for (int i = 0; i < kBetweenLooks; ++i, ++done) {
      random ^= random << 13;
      random ^= random >> 7;
      random ^= random << 17;
      const Record* record = &records[random % count];
      if (!is_pread) {
        memcpy(buffer, map + record->offset, record->size);
      } else if (pread(file, buffer, record->size, record->offset) != (ssize_t)record->size) {
        fail(argv[2]);
      }
      __asm__ volatile("" : : "r"(buffer) : "memory"); /* keeps the copies */
    }
    end = now();
  }
  printf("{\"value\": %.17g}\n", (double)done / (end - begin));
  return 0;
}
