// SPDX-License-Identifier: Apache-2.0
// Fixture for formats whose dataset is a folder of files.
#pragma once
#include "tests/formats/sample_records.h"

namespace feedrate::testing {

class FolderOfFiles : public ::testing::Test {
 protected:
  [[nodiscard]] std::vector<OwnedRecord> read() const {
    return read_all(*open_dataset(folder_.path()));
  }
  [[nodiscard]] std::string error() const {
    return message_of<FormatError>([&] { (void)read(); });
  }

  TempFolder folder_;
};

}  // namespace feedrate::testing
