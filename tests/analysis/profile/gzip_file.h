// SPDX-License-Identifier: Apache-2.0
// Writes a gzip file like those of the profiler.
#pragma once
#include <filesystem>
#include <memory>
#include <string_view>

#include <gtest/gtest.h>
#include <zlib.h>

namespace feedrate::testing {

inline void write_gzip_file(const std::filesystem::path& path, std::string_view text) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "wb"), gzclose);
  ASSERT_NE(file, nullptr) << path;
  EXPECT_EQ(gzwrite(file.get(), text.data(), static_cast<unsigned>(text.size())),
            static_cast<int>(text.size()));
}

}  // namespace feedrate::testing
