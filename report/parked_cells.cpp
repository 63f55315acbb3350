#include "report/parked_cells.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include "core/error.h"
#include "report/json.h"

namespace feedrate {
namespace {

constexpr const char* kName = "the temporary file of results";

UniqueFd unnamed_file(const std::filesystem::path& folder) {
  if (folder.empty()) return {};
  std::string name = (folder / "feedrate-cells-XXXXXX").string();
  UniqueFd file(::mkostemp(name.data(), O_CLOEXEC));
  if (file.get() >= 0) ::unlink(name.c_str());
  return file;
}

bool write_at(int file, std::string_view text, std::uint64_t offset) {
  while (!text.empty()) {
    const ssize_t written = ::pwrite(file, text.data(), text.size(), static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return true;
}

std::string read_at(int file, std::size_t size, std::uint64_t offset) {
  std::string text(size, '\0');
  for (std::size_t done = 0; done < size;) {
    const ssize_t got =
        ::pread(file, text.data() + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw SystemError(kName, "cannot be read", errno);
    if (got == 0) throw SystemError(kName, "has been cut", EIO);
    done += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace

ParkedCells::ParkedCells(const std::filesystem::path& folder) : file_(unnamed_file(folder)) {}

void ParkedCells::park(CellResult& cell) {
  Place& place = place_of(cell);
  if (place.is_away || cell.repeats.empty()) return;
  if (place.repeats != cell.repeats.size() && !write(cell, place)) return;
  cell.metrics = std::vector<Metric>();  // `= {}` would keep the memory.
  for (Repeat& repeat : cell.repeats) repeat = Repeat{.round = repeat.round};
  place.is_away = true;
}

void ParkedCells::fetch(CellResult& cell) {
  Place& place = place_of(cell);
  if (!place.is_away) return;
  CellResult whole = cell_from_json(read_at(file_.get(), place.size, place.offset), kName);
  cell.metrics = std::move(whole.metrics);
  std::ranges::move(whole.repeats, cell.repeats.begin());
  place.is_away = false;
}

void ParkedCells::park_all(RunResult& run) {
  for (CellResult& cell : run.cells) park(cell);
  ::malloc_trim(0);
}

void ParkedCells::fetch_all(RunResult& run) {
  for (CellResult& cell : run.cells) fetch(cell);
}

ParkedCells::Place& ParkedCells::place_of(const CellResult& cell) {
  if (cell.index >= places_.size()) places_.resize(cell.index + 1);
  return places_[cell.index];
}

bool ParkedCells::write(const CellResult& cell, Place& place) {
  const std::string text = cell_to_json(cell);
  if (!write_at(file_.get(), text, end_)) return false;
  place = {.offset = end_, .size = text.size(), .repeats = cell.repeats.size()};
  end_ += text.size();
  return true;
}

}  // namespace feedrate
