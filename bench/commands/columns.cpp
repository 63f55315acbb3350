#include "bench/commands/columns.h"

#include "report/columns.h"

namespace feedrate {

int run_columns(Console& console) {
  console.out << columns_markdown();
  return kExitOk;
}

}  // namespace feedrate
