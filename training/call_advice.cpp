// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/host/text_file.h"
#include "training/call_edit.h"
#include "training/library_options.h"
#include "training/wait_verdict.h"

namespace feedrate {
namespace {

using Lines = std::vector<std::string>;
using Changes = std::vector<ArgumentChange>;

std::string removals_text(const Changes& changes) {
  std::vector<std::string> names;
  for (const ArgumentChange& change : changes) {
    if (!change.value) names.push_back(change.name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

// "set num_workers=4 in PLACE; remove prefetch_factor".
std::string request_text(const Changes& changes, const std::string& place) {
  const std::string values = values_text(changes);
  const std::string removals = removals_text(changes);
  if (removals.empty()) return fmt::format("set {} in {}", values, place);
  if (values.empty()) return fmt::format("remove {} in {}", removals, place);
  return fmt::format("set {} in {}, and remove {}", values, place, removals);
}

// "train.py:43" for the line after "/home/me/train.py:42".
std::string place_text(std::string_view site, std::size_t line) {
  const std::string place = site_text(site);
  const std::size_t colon = place.rfind(':');
  const auto first = colon == std::string::npos
                         ? std::nullopt
                         : parse_unsigned(std::string_view(place).substr(colon + 1));
  return first ? fmt::format("{}:{}", place.substr(0, colon), *first + line) : place;
}

void add_diff(Lines& lines, std::string_view site, const ChangedLines& changed) {
  std::string place = place_text(site, changed.line);
  const std::string blank(place.size(), ' ');
  for (const std::string_view line : split_lines(changed.before)) {
    lines.push_back(fmt::format("{}  - {}", place, line));
    place = blank;
  }
  if (!changed.after) return;
  for (const std::string_view line : split_lines(*changed.after)) {
    lines.push_back(fmt::format("{}  + {}", blank, line));
  }
}

// Adds the lines of the changes that the call shows; returns the others.
Changes add_edit(Lines& lines, const ScriptLoader& from, const Changes& changes) {
  if (!from.call) return changes;
  CallEdit edit = edit_call(from, changes);
  for (const ChangedLines& changed : edit.lines) add_diff(lines, from.site, changed);
  return std::move(edit.open);
}

std::string library_text(const ScriptLoader& from, const LibraryOptions& library,
                         const Changes& changes) {
  return fmt::format("{} makes the loader for {}: set {}", from.library, site_text(from.site),
                     fmt::format(fmt::runtime(library.form), values_text(changes)));
}

void add_library(Lines& lines, const ScriptLoader& from, const Changes& changes) {
  const LibraryOptions* const library = find_library_options(from.library);
  Changes named, unnamed;
  for (ArgumentChange change : changes) {
    const std::string name = library == nullptr ? change.name : library->name_of(change.name);
    if (name.empty()) {
      unnamed.push_back(change);
    } else {
      change.name = name;
      named.push_back(change);
    }
  }
  const Changes open = add_edit(lines, from, named);
  const bool has_values = !values_text(open).empty();
  if (library != nullptr && has_values) lines.push_back(library_text(from, *library, open));
  if (library == nullptr && !open.empty()) {
    lines.push_back(
        fmt::format("the call at {} leads to the loader, which {} makes: pass {} "
                    "through it",
                    site_text(from.site), from.library, values_text(open)));
  }
  if (!unnamed.empty() && !values_text(unnamed).empty()) {
    lines.push_back(fmt::format("{} has no option for {}", from.library, values_text(unnamed)));
  }
}

}  // namespace

std::vector<std::string> change_lines(const ScriptLoader& from, const ScriptLoader& to) {
  const Changes changes = argument_changes(from, to);
  Lines lines;
  if (changes.empty()) return lines;
  const std::string site = site_text(from.site);
  if (!from.is_given_known) {
    return {
        request_text(changes, "the DataLoader of " + site) +
        ": it was made before feedrate was imported, so that its other arguments are not known"};
  }
  if (!from.library.empty()) {
    add_library(lines, from, changes);
    return lines;
  }
  if (!from.call) return {request_text(changes, "the DataLoader of " + site)};
  const Changes open = add_edit(lines, from, changes);
  if (!open.empty()) {
    lines.push_back(request_text(open, "the arguments of the call at " + site));
  }
  return lines;
}

}  // namespace feedrate
