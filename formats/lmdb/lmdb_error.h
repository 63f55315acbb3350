// SPDX-License-Identifier: Apache-2.0
// What LMDB's result codes mean here.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

/// Throws SystemError where `code` is an errno, FormatError where LMDB found the database damaged.
/// Does nothing for MDB_SUCCESS.
void check_lmdb(int code, const std::string& path, std::string_view action);

}  // namespace feedrate
