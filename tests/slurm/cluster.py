# SPDX-License-Identifier: Apache-2.0
"""The Slurm of scripts/slurm_cluster, for tests, and a check for leftovers."""
import os
import pathlib
import re
import socket
import subprocess
import sys
import time

SKIPPED = 77
PATIENCE_S = 240  # Timeout for a hang.


class Cluster:
    """A context manager that always stops the cluster."""

    def __init__(self, source, folder):
        self.script = pathlib.Path(source) / "scripts/slurm_cluster"
        self.folder = pathlib.Path(folder)
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf")}
        # Removes the variables of a job in which this test may run.
        for name in [name for name in self.environment if re.match(r"(SLURM|SBATCH|SQUEUE)_(?!CONF$)", name)]:
            del self.environment[name]

    def __enter__(self):
        self.control_groups = control_groups()
        done = subprocess.run([self.script, "start", self.folder], text=True, capture_output=True, check=False)
        if done.returncode == SKIPPED:
            print(f"skipped: {done.stderr.strip()}")
            sys.exit(SKIPPED)
        if done.returncode != 0:
            self.print_logs()
            raise AssertionError(done.stderr)
        self.ports = [int(port) for port in re.findall(r"Port=(\d+)", (self.folder / "slurm.conf").read_text())]
        return self

    def __exit__(self, kind, *_):
        if kind is not None:
            self.print_logs()
        self.stop()

    def stop(self):
        subprocess.run([self.script, "stop", self.folder], check=True)

    def run(self, *command, cwd=None):
        done = subprocess.run(command, env=self.environment, cwd=cwd, text=True, capture_output=True, check=False)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return done.stdout

    def wait_for_jobs(self):
        until = time.monotonic() + PATIENCE_S
        while queue := self.run("squeue", "--noheader").strip():
            assert time.monotonic() < until, f"these jobs do not end:\n{queue}"
            time.sleep(0.5)

    def job(self, job_id):
        """The fields that scontrol shows of a job: {"JobState": "COMPLETED", …}."""
        line = self.run("scontrol", "--oneliner", "show", "job", job_id).splitlines()[0]
        return dict(word.split("=", 1) for word in line.split() if "=" in word)

    def print_logs(self):
        for log in sorted((self.folder / "log").glob("*")):
            print(f"--- {log.name}\n{log.read_text(errors='replace')[-4000:]}")

    def assert_nothing_is_left(self):
        """REQUIRES: the cluster was stopped"""
        files = sorted(path.name for path in self.folder.iterdir())
        assert files == ["log"], f"files: {files}"
        assert not (left := self.processes()), f"processes: {left}"
        assert not (left := control_groups() - self.control_groups), f"control groups: {left}"
        for port in self.ports:
            with socket.socket() as one:
                assert one.connect_ex(("127.0.0.1", port)) != 0, f"port {port} is open"

    def processes(self):
        """Processes that have the folder in their command line or environment, by name."""
        left = []
        for process in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                text = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
            except OSError:  # It has ended, or belongs to another user.
                continue
            if str(self.folder).encode() in text and int(process.name) != os.getpid():
                left.append((process / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        return left


def control_groups():
    return {folder for folder, _, _ in os.walk("/sys/fs/cgroup") if "slurm" in folder}
