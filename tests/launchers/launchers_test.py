# SPDX-License-Identifier: Apache-2.0
"""Ranks started by launchers: mpirun, also on two hosts, which are network namespaces here, and shells.

launchers_test.py PATH/TO/rank_peer HAS_MPI. A case that this machine does not allow is skipped, with the reason.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PEER = pathlib.Path(sys.argv[1]).resolve()
HAS_MPI = sys.argv[2].upper() in ("ON", "TRUE", "1")
LIMIT = 300

# Samples by epoch and rank: list(DistributedSampler(range(10), num_replicas=4, rank=rank)) after set_epoch(epoch), torch 2.15.
SAMPLES = [
    [[4, 3, 6], [1, 9, 2], [7, 0, 4], [5, 8, 1]],
    [[5, 0, 7], [6, 8, 4], [1, 9, 5], [2, 3, 6]],
]


def own_environment():
    """The environment without variables of a launcher around this test."""
    launchers = ("SLURM", "OMPI_", "PMI", "FEEDRATE_", "MASTER_", "RANK", "WORLD_SIZE", "LOCAL_")
    return {name: value for name, value in os.environ.items() if not name.startswith(launchers)}


def mpi_environment():
    """Disables leak detection, because Open MPI exits without freeing all memory."""
    environment = own_environment()
    return environment | {"ASAN_OPTIONS": environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="feedrate-ranks-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)

    def output_of(self, rank):
        return (self.folder / f"{rank}.txt").read_text()

    def expect_the_epochs_divided(self):
        """Expects all 10 records in 12 positions, two of them twice."""
        epochs = zip(*[self.output_of(rank).splitlines() for rank in range(4)])
        for found, expected in zip(epochs, SAMPLES, strict=True):
            self.assertEqual([[int(index) for index in line.split()] for line in found], expected)
            seen = sorted(index for line in found for index in line.split())
            self.assertEqual(set(map(int, seen)), set(range(10)))
            self.assertEqual(len(seen), 12)

    def expect_met(self, way):
        for rank in range(4):
            self.assertRegex(self.output_of(rank), f"^rank {rank} of 4 by {way}")

    def expect_noticed(self, rank, victim):
        match = re.match(rf"lost {victim} after ([\d.]+) s: rank {victim} on node", self.output_of(rank))
        self.assertTrue(match, self.output_of(rank))
        self.assertLess(float(match.group(1)), 10, self.output_of(rank))


@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class Mpirun(Folder):
    def run_peers(self, mode, *arguments, options=()):
        version = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout
        if "Open MPI" not in version:
            self.skipTest("mpirun is not Open MPI's")
        command = ["mpirun", "-n", "4", "--oversubscribe", *options]
        if os.geteuid() == 0:
            command.append("--allow-run-as-root")
        return subprocess.run([*command, str(PEER), mode, str(self.folder), *arguments], text=True, timeout=LIMIT,
                              env=mpi_environment(), capture_output=True, stdin=subprocess.DEVNULL)

    def test_starts_ranks_that_meet(self):
        done = self.run_peers("meet")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_met(".*MPI" if HAS_MPI else "shared memory")

    def test_starts_ranks_that_divide_the_epochs(self):
        done = self.run_peers("samples")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.expect_the_epochs_divided()

    def expect_told(self, mode):
        # mpirun without --enable-recovery kills all ranks as soon as one is killed.
        self.run_peers(mode, "2", options=["--enable-recovery"])
        for rank in (0, 1, 3):
            self.expect_noticed(rank, 2)

    def test_notifies_ranks_in_a_barrier_of_one_that_is_killed(self):
        self.expect_told("die-barrier")

    def test_notifies_ranks_in_a_sum_of_one_that_is_killed(self):
        self.expect_told("die-reduce")


class Shells(Folder):
    """Ranks that are started in the way of torchrun."""

    def setUp(self):
        super().setUp()
        self.peers = []
        self.addCleanup(self.clean)

    def clean(self):
        for peer in self.peers:
            peer.kill()
            peer.wait()

    def start(self, mode, *arguments, nodes=1):
        local = 4 // nodes
        for rank in range(4):
            environment = own_environment() | {
                "RANK": str(rank), "WORLD_SIZE": "4", "LOCAL_RANK": str(rank % local), "LOCAL_WORLD_SIZE": str(local),
                "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29511", "TORCHELASTIC_RUN_ID": f"test-{os.getpid()}",
                "XDG_RUNTIME_DIR": str(self.folder)}
            self.peers.append(subprocess.Popen([str(PEER), mode, str(self.folder), *arguments], env=environment,
                                               stdin=subprocess.DEVNULL))

    def test_meet(self):
        self.start("meet")
        self.assertEqual([peer.wait(LIMIT) for peer in self.peers], [0] * 4)
        self.expect_met("shared memory")
        meeting, = self.folder.glob("feedrate-ranks-*")
        self.assertEqual(meeting.stat().st_mode & 0o777, 0o700)
        self.assertEqual(list(meeting.iterdir()), [], "the socket stays behind")

    def test_divide_the_epochs(self):
        self.start("samples")
        self.assertEqual([peer.wait(LIMIT) for peer in self.peers], [0] * 4)
        self.expect_the_epochs_divided()

    def test_notice_a_rank_that_is_killed(self):
        self.start("die-reduce", "3")
        for rank in range(3):
            self.assertEqual(self.peers[rank].wait(LIMIT), 3)
            self.expect_noticed(rank, 3)

    def test_on_two_nodes_say_what_they_need(self):
        self.start("meet", nodes=2)
        self.assertEqual([peer.wait(LIMIT) for peer in self.peers], [1] * 4)
        for rank in range(4):
            self.assertRegex(self.output_of(rank), "^failed: ranks on several nodes need MPI: torchrun started 4, 2 of them")


def can_make_hosts():
    if os.geteuid() != 0:
        return "network namespaces need root"
    if not shutil.which("ip"):
        return "ip (iproute2) is not installed"
    name = f"fr{os.getpid()}t"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    subprocess.run(["ip", "netns", "delete", name], capture_output=True)
    return "" if made.returncode == 0 else f"ip netns add: {made.stderr.strip()}"


@unittest.skipUnless(HAS_MPI, "built without MPI")
@unittest.skipUnless(shutil.which("mpirun"), "mpirun is not installed")
class TwoHosts(Folder):
    """Ranks 0 and 1 run on one host, 2 and 3 on the other."""

    def setUp(self):
        super().setUp()
        if problem := can_make_hosts():
            self.skipTest(problem)
        self.hosts = [f"fr{os.getpid()}{side}" for side in "ab"]
        self.mpirun = None
        self.addCleanup(self.clean)
        for host in self.hosts:
            self.ip("netns", "add", host)
            self.ip("-n", host, "link", "set", "lo", "up")
        a, b = self.hosts
        self.ip("-n", a, "link", "add", "eth0", "type", "veth", "peer", "name", "eth0", "netns", b)
        for number, host in enumerate(self.hosts):
            self.ip("-n", host, "address", "add", f"10.213.7.{number + 1}/24", "dev", "eth0")
            self.ip("-n", host, "link", "set", "eth0", "up")

    def clean(self):
        if self.mpirun and self.mpirun.poll() is None:
            os.killpg(self.mpirun.pid, signal.SIGKILL)
            self.mpirun.wait()
        for host in self.hosts:
            pids = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True).stdout
            for pid in pids.split():
                os.kill(int(pid), signal.SIGKILL)
            subprocess.run(["ip", "netns", "delete", host], capture_output=True)

    def ip(self, *arguments):
        done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            self.skipTest(f"ip {' '.join(arguments)}: {done.stderr.strip()}")

    def start(self, mode, *arguments):
        """Starts mpirun with a stand-in for ssh. Each host has its own name, by which Open MPI distinguishes nodes."""
        agent = self.folder / "agent"
        agent.write_text(f"""#!/bin/sh
shift
exec ip netns exec {self.hosts[1]} unshare --uts sh -c "hostname host1; $*"
""")
        agent.chmod(0o700)
        command = ["mpirun", "--allow-run-as-root", "--enable-recovery", "--host", "host0:2,10.213.7.2:2",
                   "--mca", "plm_rsh_agent", str(agent), "--mca", "btl", "self,vader,tcp",
                   str(PEER), mode, str(self.folder), *arguments]
        self.mpirun = subprocess.Popen(
            ["ip", "netns", "exec", self.hosts[0], "unshare", "--uts", "sh", "-c", "hostname host0; exec \"$@\"", "sh",
             *command], env=mpi_environment(), stdin=subprocess.DEVNULL, start_new_session=True)

    def wait_for(self, what):
        """Waits, and returns the seconds without the time in which the machine did not run this process."""
        took, last = 0, time.monotonic()
        while not what():
            self.assertLess(took, LIMIT, "it does not come")
            time.sleep(0.02)
            took, last = took + min(time.monotonic() - last, 0.1), time.monotonic()
        return took

    def all_said(self, ranks, text):
        return all((self.folder / f"{rank}.txt").exists() and text in self.output_of(rank) for rank in ranks)

    def test_meet(self):
        self.start("meet")
        self.assertEqual(self.mpirun.wait(LIMIT), 0)
        self.expect_met(".*MPI")

    def test_notice_a_rank_that_is_killed(self):
        self.start("die-barrier", "3")
        self.wait_for(lambda: self.all_said(range(3), ""))
        for rank in range(3):
            self.expect_noticed(rank, 3)
        self.assertIn("on node host1", self.output_of(0))

    def test_notice_a_host_that_is_disconnected(self):
        self.start("sleep")
        self.wait_for(lambda: self.all_said(range(4), ""))
        self.ip("-n", self.hosts[1], "link", "set", "eth0", "down")
        self.assertLess(self.wait_for(lambda: self.all_said(range(4), "lost")), 10)
        for rank in (0, 1):
            self.assertRegex(self.output_of(rank), "^lost [23] after .* on node host1: ")
        for rank in (2, 3):
            self.assertRegex(self.output_of(rank), "^lost 0 after .* on node host0: ")


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
