// The ranks of a job, connected by TCP, or by Unix sockets where spawn.h has started them.
//
// Rank 0 listens; the others connect to it and prove, and are proven, to know the job's secret
// (HMAC-SHA256 of random numbers of both sides; the secret itself never travels). What they say
// afterwards is neither encrypted nor signed: it holds settings and numbers of measurements. Rank 0
// listens only where the others come from - the loopback if all are on its node, else one address -
// and only until all have come.
//
// Where the secret and the address come from:
//  1. spawn.h: a Unix socket in a folder of this user, and a secret in the environment.
//  2. FEEDRATE_RANK_SECRET, the same on all ranks, at least 16 characters: rank 0 listens at
//     MASTER_ADDR, or on the first node of the Slurm step; at MASTER_PORT, or at a port made of job
//     and step.
//  3. Otherwise rank 0 makes up a secret and writes it, with its address and port, into a file in
//     `folder`, which all nodes share; only this user may read it (mode 0600, owner checked). It
//     removes it when all have come. MASTER_ADDR and MASTER_PORT, where set, are what it takes.
// FEEDRATE_RANK_ADDRESS on rank 0 names the address to listen at where several would do.
//
// Each rank keeps one thread that sends and expects a sign of life each second.
#pragma once
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string_view>

#include "ranks/group.h"
#include "ranks/launch.h"

namespace feedrate {

struct TcpGroupOptions {
  std::filesystem::path folder;  ///< on all nodes the same, as the results'; see 3. above
  /// How long ranks wait for each other at the start: some start late.
  std::chrono::seconds join_limit{120};
  /// Told what is worth a warning, as a stranger that was refused. From the thread that joins.
  std::function<void(std::string_view)> warn = {};
};

/// Blocks until all ranks have come. Throws ConfigError where nothing says how they meet, or the
/// secrets differ; RankLost; Cancelled; SystemError. A group of one rank is make_single_group().
[[nodiscard]] std::unique_ptr<RankGroup> join_group(const Launch& launch,
                                                    const TcpGroupOptions& options,
                                                    const std::stop_token& stop = {});

}  // namespace feedrate
