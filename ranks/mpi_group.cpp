#include "ranks/mpi_group.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <exception>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <mpi.h>

#include "core/error.h"

namespace feedrate {
namespace {

std::string library_version() {
  std::string text(MPI_MAX_LIBRARY_VERSION_STRING, '\0');
  int size = 0;
  if (::MPI_Get_library_version(text.data(), &size) != MPI_SUCCESS) return "MPI";
  text.resize(static_cast<std::size_t>(size));
  // "Open MPI v4.1.4, package: …" and lines of others that are as long.
  return text.substr(0, text.find_first_of(",\n"));
}

class MpiGroup final : public RankGroup {
 public:
  explicit MpiGroup(std::unique_ptr<RankGroup> control) : control_(std::move(control)) {}
  MpiGroup(const MpiGroup&) = delete;
  MpiGroup& operator=(const MpiGroup&) = delete;
  // MPI ends only where all end it: it would wait for who is lost or has failed.
  ~MpiGroup() override {
    if (is_broken_ || std::uncaught_exceptions() > 0) return;
    try {
      if (control_->agree(true)) ::MPI_Finalize();
    } catch (const Error&) {
      return;
    }
  }

  [[nodiscard]] int rank() const noexcept override { return control_->rank(); }
  [[nodiscard]] int size() const noexcept override { return control_->size(); }
  [[nodiscard]] const std::vector<RankPlace>& places() const noexcept override {
    return control_->places();
  }
  [[nodiscard]] std::string data_path() const override { return mpi_version(); }

  void barrier(const std::stop_token& stop) override {
    guard([&] { control_->barrier(stop); });
  }
  std::vector<std::string> all_gather(std::string own, const std::stop_token& stop) override {
    return guard([&] { return control_->all_gather(std::move(own), stop); });
  }
  std::vector<std::string> gather(std::string own, const std::stop_token& stop) override {
    return guard([&] { return control_->gather(std::move(own), stop); });
  }
  std::string broadcast(std::string own, int root, const std::stop_token& stop) override {
    return guard([&] { return control_->broadcast(std::move(own), root, stop); });
  }
  bool agree(bool ok, const std::stop_token& stop) override {
    return guard([&] { return control_->agree(ok, stop); });
  }
  void all_reduce(std::span<float> values, const std::stop_token& stop) override {
    guard([&] { reduce(values, stop); });
  }
  void check() const override { control_->check(); }
  void leave(std::string_view why) noexcept override {
    is_broken_ = true;
    control_->leave(why);
  }

 private:
  template <typename Action>
  auto guard(const Action& action) -> decltype(action()) {
    try {
      return action();
    } catch (...) {
      is_broken_ = true;
      throw;
    }
  }

  // What MPI counts in an int.
  void reduce(std::span<float> values, const std::stop_token& stop) {
    while (!values.empty()) {
      const std::size_t count = std::min<std::size_t>(values.size(), INT_MAX);
      reduce_part(values.first(count), stop);
      values = values.subspan(count);
    }
  }

  // MPI_Allreduce() would wait for a lost rank for ever.
  void reduce_part(std::span<float> values, const std::stop_token& stop) {
    MPI_Request request = MPI_REQUEST_NULL;
    require(::MPI_Iallreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                             MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, &request));
    for (int is_done = 0; is_done == 0;) {
      require(::MPI_Test(&request, &is_done, MPI_STATUS_IGNORE));
      if (is_done != 0) return;
      control_->check();
      if (stop.stop_requested()) throw Cancelled();
      std::this_thread::yield();
    }
  }

  // An error of MPI is most often that of a lost rank, which the group then names.
  void require(int code) const {
    if (code == MPI_SUCCESS) return;
    control_->check();
    throw Error(fmt::format("all_reduce(): {} fails with error {}", mpi_version(), code));
  }

  std::unique_ptr<RankGroup> control_;
  bool is_broken_ = false;
};

bool speaks_mpi(const Launch& launch) {
  const bool has_pmi = environment_variable("PMIX_RANK") || environment_variable("PMI_RANK") ||
                       environment_variable("PMI_FD");
  switch (launch.launcher) {
    case Launcher::open_mpi:
    case Launcher::hydra:
    case Launcher::pmi:
      return true;
    case Launcher::slurm:  // Without --mpi=pmix or pmi2 MPI ends the program when it begins.
      return has_pmi;
    default:
      return false;
  }
}

// Begins MPI; what it says is wrong, empty if it takes this process for the rank that it is.
std::string begin(const Launch& launch) {
  int provided = 0;
  int is_begun = 0;
  ::MPI_Initialized(&is_begun);
  if (is_begun != 0) return "MPI has begun before in this process";
  if (::MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
    return "MPI does not begin";
  }
  ::MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  int rank = -1;
  int size = -1;
  ::MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  ::MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (rank == launch.rank && size == launch.size) return "";
  return fmt::format("{} takes this process for rank {} of {}: it is not the MPI of its launcher",
                     mpi_version(), rank, size);
}

}  // namespace

std::string mpi_version() {
  static const std::string version = library_version();
  return version;
}

std::unique_ptr<RankGroup> with_mpi(std::unique_ptr<RankGroup> group, const Launch& launch,
                                    std::string& why_not) {
  if (group->size() == 1) {
    why_not = "one rank has nobody to reduce with";
    return group;
  }
  if (!speaks_mpi(launch)) {
    why_not = fmt::format("{} starts no ranks of MPI{}", to_string(launch.launcher),
                          launch.launcher == Launcher::slurm ? "; srun --mpi=pmix does" : "");
    return group;
  }
  why_not = begin(launch);
  if (group->agree(why_not.empty())) return std::make_unique<MpiGroup>(std::move(group));
  if (why_not.empty()) why_not = "MPI does not begin in another rank";
  return group;
}

}  // namespace feedrate
