// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/columns.h"

#include "analysis/columns.h"

namespace feedrate {

int run_columns(Console& console) {
  console.out << columns_markdown();
  return kExitOk;
}

}  // namespace feedrate
