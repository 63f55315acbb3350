// SPDX-License-Identifier: Apache-2.0
// Options of reading a dataset. Plain values.
#pragma once
#include <compare>

namespace feedrate {

enum class ReadOrder {
  kSequential,  ///< in storage order: the kernel may read ahead
  kRandom,      ///< shuffled: the kernel does not read ahead
};

/// How records are read from an HDF5 file. The bytes are the same.
enum class Hdf5Reads {
  kLibrary,  ///< by H5Dread
  kDirect,   ///< contiguous pixels by pread, all others by H5Dread
};

/// How a worker reads the records of a batch. The bytes are the same.
enum class BatchReads {
  kOneByOne,  ///< each on its own, as a Dataset's __getitem__ does
  kTogether,  ///< prefetches all of them first, as a Dataset's __getitems__ may
};

struct ReadOptions {
  ReadOrder order = ReadOrder::kSequential;
  Hdf5Reads hdf5 = Hdf5Reads::kLibrary;
  BatchReads batch = BatchReads::kOneByOne;
  int requests_in_flight = 16;  ///< to a server, for the records of a batch

  friend auto operator<=>(const ReadOptions&, const ReadOptions&) = default;
};

}  // namespace feedrate
