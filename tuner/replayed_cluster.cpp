#include "tuner/replayed_cluster.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <queue>
#include <set>
#include <tuple>
#include <vector>

#include "core/random.h"
#include "tuner/fair_share.h"
#include "tuner/replayed_loop.h"

namespace feedrate {
namespace {

constexpr double kNoEvent = std::numeric_limits<double>::infinity();

class ClusterReplay;

// The fetches of one rank's workers: it says whose they are.
class RankFetches final : public ReplayedFetches {
 public:
  RankFetches(ClusterReplay& cluster, std::size_t rank) : cluster_(cluster), rank_(rank) {}
  void fetch(std::size_t worker, double part) override;

 private:
  ClusterReplay& cluster_;
  std::size_t rank_;
};

struct Fetch {
  std::size_t rank = 0;
  std::size_t worker = 0;
  double part = 0.0;  // Of a batch.
};

struct Event {
  double time = 0.0;
  std::uint64_t number = 0;  // Of a fetch, or of a rank's state when this was foreseen.
  std::size_t rank = 0;
  // Of events at the same time the first foreseen: nothing depends on a queue's whims.
  friend bool operator>(const Event& a, const Event& b) {
    return std::tie(a.time, a.rank, a.number) > std::tie(b.time, b.rank, b.number);
  }
};
using Events = std::priority_queue<Event, std::vector<Event>, std::greater<>>;

struct Rank {
  RankFetches fetches;
  ReplayedLoop loop;
  std::set<std::size_t> begun;  // Workers that have fetched something.
  std::uint64_t state = 0;      // Older forecasts of its next event are void.

  Rank(ClusterReplay& cluster, std::size_t number, const FittedModel& model,
       const LoopSettings& settings, const Course& course, std::uint64_t seed)
      : fetches(cluster, number),
        loop(model.costs, model.cores, settings, course, seed, &fetches) {}
};

class ClusterReplay {
 public:
  ClusterReplay(const FittedModel& model, const LoopSettings& settings, const BatchDemand& reads,
                const Cluster& cluster, std::size_t steps, std::uint64_t seed)
      : model_(model),
        reads_(reads),
        cluster_(cluster),
        random_(seed),
        course_(steady_course(settings, steps)),
        metadata_(cluster.metadata_rate, 1, kNoEvent),
        bytes_(cluster.storage_bandwidth, cluster.nodes, cluster.node_bandwidth) {
    for (std::size_t i = 0; i < cluster.ranks(); ++i) {
      ranks_.push_back(std::make_unique<Rank>(*this, i, model, settings, course_, seed + i));
      if (cluster.barrier) ranks_.back()->loop.stop_at_barriers();
    }
  }

  ReplayedCluster run() {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      ranks_[i]->loop.start();
      foresee(i);
    }
    while (over_ < ranks_.size()) advance();
    ReplayedCluster result;
    for (const auto& rank : ranks_) result.step_time += rank->loop.finish().step_time;
    result.step_time /= static_cast<double>(ranks_.size());
    result.bandwidth = bytes_.served() / now_;
    result.metadata_rate = metadata_.served() / now_;
    return result;
  }

  void begin(const Fetch& fetch) {
    const std::uint64_t number = add(fetch);
    const double delay = fetch.part * reads_.round_trips * cluster_.storage_latency;
    // A rank that starts its workers is ahead of the others.
    const double begin = std::max(now_, ranks_[fetch.rank]->loop.now()) + first_delay(fetch);
    delays_.push({begin + delay, number, fetch.rank});
  }

 private:
  // Workers that all started at the same moment would meet at the storage for ever, which no two
  // real ones do: each has its place in the time that a batch takes. Alone there is nobody to meet.
  double first_delay(const Fetch& fetch) {
    Rank& rank = *ranks_[fetch.rank];
    if (ranks_.size() == 1 || !rank.begun.insert(fetch.worker).second) return 0.0;
    return random_.uniform() *
           (model_.costs.worker_load + reads_.round_trips * cluster_.storage_latency);
  }

  // Numbers of fetches that are over are used again.
  std::uint64_t add(const Fetch& fetch) {
    if (free_.empty()) {
      fetches_.push_back(fetch);
      return fetches_.size() - 1;
    }
    const std::uint64_t number = free_.back();
    free_.pop_back();
    fetches_[number] = fetch;
    return number;
  }

  void advance() {
    drop_void_events();
    const double of_ranks = events_.empty() ? kNoEvent : events_.top().time;
    const double of_delays = delays_.empty() ? kNoEvent : delays_.top().time;
    now_ = std::min({of_ranks, of_delays, metadata_.next_end(), bytes_.next_end()});
    metadata_.advance_to(now_);
    bytes_.advance_to(now_);
    std::uint64_t number = 0;
    if (of_ranks <= now_) {
      step(events_.top().rank);
    } else if (of_delays <= now_) {
      number = delays_.top().number;
      delays_.pop();
      look_up(number);
    } else if (metadata_.pop_ended(number)) {
      transfer(number);
    } else if (bytes_.pop_ended(number)) {
      arrive(number);
    }
  }

  void drop_void_events() {
    while (!events_.empty() && events_.top().number != ranks_[events_.top().rank]->state) {
      events_.pop();
    }
  }

  void step(std::size_t rank) {
    events_.pop();
    ranks_[rank]->loop.advance_to(now_);
    settle(rank);
  }

  void look_up(std::uint64_t number) {
    const double operations = fetches_[number].part * reads_.metadata_operations;
    operations > 0.0 ? metadata_.begin(0, operations, number) : transfer(number);
  }

  void transfer(std::uint64_t number) {
    const Fetch& fetch = fetches_[number];
    const double bytes = fetch.part * reads_.bytes;
    bytes > 0.0 ? bytes_.begin(fetch.rank / cluster_.ranks_per_node, bytes, number)
                : arrive(number);
  }

  void arrive(std::uint64_t number) {
    const Fetch fetch = fetches_[number];
    free_.push_back(number);
    ReplayedLoop& loop = ranks_[fetch.rank]->loop;
    loop.advance_to(now_);
    loop.fetched(fetch.worker);
    settle(fetch.rank);
  }

  void settle(std::size_t rank) {
    const ReplayedLoop& loop = ranks_[rank]->loop;
    foresee(rank);
    if (loop.is_over() && !is_over_[rank]) {
      is_over_[rank] = true;
      ++over_;
    }
    if (!loop.is_at_barrier() || is_at_barrier_[rank]) return;
    is_at_barrier_[rank] = true;
    if (++at_barrier_ == ranks_.size()) pass_barrier();
  }

  void pass_barrier() {
    at_barrier_ = 0;
    is_at_barrier_.assign(ranks_.size(), false);
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      ranks_[i]->loop.advance_to(now_);
      ranks_[i]->loop.pass_barrier();
      foresee(i);
    }
  }

  void foresee(std::size_t rank) {
    Rank& changed = *ranks_[rank];
    const double next = changed.loop.next_event();
    ++changed.state;
    if (next < kNoEvent) events_.push({std::max(next, now_), changed.state, rank});
  }

  const FittedModel& model_;
  const BatchDemand& reads_;
  const Cluster& cluster_;
  RandomStream random_;
  const Course course_;
  double now_ = 0.0;
  FairShare metadata_;
  FairShare bytes_;
  std::vector<std::unique_ptr<Rank>> ranks_;
  std::vector<bool> is_over_ = std::vector<bool>(cluster_.ranks());
  std::size_t over_ = 0;
  std::vector<bool> is_at_barrier_ = std::vector<bool>(cluster_.ranks());
  std::size_t at_barrier_ = 0;
  Events events_;
  Events delays_;
  std::deque<Fetch> fetches_;
  std::vector<std::uint64_t> free_;
};

void RankFetches::fetch(std::size_t worker, double part) { cluster_.begin({rank_, worker, part}); }

}  // namespace

ReplayedCluster replay_cluster(const FittedModel& model, const LoopSettings& settings,
                               const BatchDemand& reads, const Cluster& cluster, std::size_t steps,
                               std::uint64_t seed) {
  return ClusterReplay(model, settings, reads, cluster, steps, seed).run();
}

}  // namespace feedrate
