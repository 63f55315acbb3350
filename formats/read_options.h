// SPDX-License-Identifier: Apache-2.0
// How a dataset is going to be read. Plain values.
#pragma once
#include <compare>

namespace feedrate {

enum class ReadOrder {
  kSequential,  ///< one after the other: the kernel may read ahead
  kRandom,      ///< shuffled: what was not asked for is not read from storage
};

/// How records come out of an HDF5 file. Their bytes are the same.
enum class Hdf5Reads {
  kLibrary,  ///< by H5Dread
  kDirect,   ///< contiguous pixels by pread, all others by H5Dread
};

/// How a worker reads the records of a batch. Their bytes are the same.
enum class BatchReads {
  kOneByOne,  ///< each when its turn comes, as a Dataset's __getitem__ does
  kTogether,  ///< storage is asked for all of them first, as a Dataset's __getitems__ may
};

struct ReadOptions {
  ReadOrder order = ReadOrder::kSequential;
  Hdf5Reads hdf5 = Hdf5Reads::kLibrary;
  BatchReads batch = BatchReads::kOneByOne;
  int requests_in_flight = 16;  ///< to a server, of records read together

  friend auto operator<=>(const ReadOptions&, const ReadOptions&) = default;
};

}  // namespace feedrate
