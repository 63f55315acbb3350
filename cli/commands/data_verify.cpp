// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "cli/commands/data.h"
#include "formats/datasets/data_job.h"
#include "formats/datasets/data_text.h"
#include "formats/datasets/verify.h"
#include "formats/registry.h"

namespace feedrate {
namespace {

void print_line(std::ostream& out, std::size_t count, std::string_view what) {
  if (count > 0) out << fmt::format("  {:>9}  {}\n", count_text(count), what);
}

void print(std::ostream& out, const VerifyResult& result) {
  print_line(out, result.identical_bytes, "with identical bytes");
  print_line(out, result.identical_pixels, "with identical pixels");
  print_line(out, result.different, "different");
  print_line(out, result.only_in_a, "only in A");
  print_line(out, result.only_in_b, "only in B");
  print_line(out, result.unreadable, "unreadable");
  print_line(out, result.different_labels, "with different labels");
  print_line(out, result.labels_missing, "labeled in one dataset only");
  if (result.matched_by_position) {
    out << "The datasets have no key in common; records were compared by position.\n";
  }
  if (result.differences.empty()) return;
  out << "First differences:\n";
  for (const std::string& difference : result.differences) out << "  " << difference << '\n';
}

}  // namespace

int run_data_verify(const DataVerifyOptions& options, Console& console) {
  const std::unique_ptr<RecordReader> a = open_dataset(options.a);
  const std::unique_ptr<RecordReader> b = open_dataset(options.b);
  const VerifyResult result = verify_datasets(*a, *b, console_job(console, options.threads));
  console.out << fmt::format("A {} ({}): {} records\nB {} ({}): {} records\n", options.a.string(),
                             a->format(), count_text(a->size()), options.b.string(), b->format(),
                             count_text(b->size()));
  print(console.out, result);
  console.out << (result.identical() ? "identical\n" : "NOT identical\n");
  return result.identical() ? kExitOk : kExitCellFailed;
}

}  // namespace feedrate
