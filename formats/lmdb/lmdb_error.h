// SPDX-License-Identifier: Apache-2.0
// Translates LMDB's result codes into exceptions.
#pragma once
#include <string>
#include <string_view>

namespace feedrate {

/// Throws SystemError if `code` is an errno, FormatError if it is LMDB's own. Accepts MDB_SUCCESS.
void check_lmdb(int code, const std::string& path, std::string_view action);

}  // namespace feedrate
