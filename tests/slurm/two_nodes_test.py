# SPDX-License-Identifier: Apache-2.0
"""two_nodes_test.py FEEDRATE SOURCE HAS_MPI: sweeps as jobs of a real Slurm give the same run as one local sweep.

Starts a cluster of two nodes; runs an array over both nodes, a sweep that the time limit interrupts, and a sweep of several ranks;
compares all of them with local sweeps of the same configurations; and checks that nothing is left behind.
"""
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from cluster import Cluster

FEEDRATE = os.path.abspath(sys.argv[1])
SOURCE = pathlib.Path(sys.argv[2]).resolve()
HAS_MPI = sys.argv[3].upper() in ("ON", "TRUE", "1")

# Eight cells of about four seconds, with next to no computation. Slurm checks time limits every half minute, so one job with
# all cells is interrupted.
CONFIG = """# Which settings keep the GPU fed?
engine: native
dataset: {path: ds}
loader: {batch_size: 4, num_workers: [0, 1], shuffle: [false, true], drop_last: [false, true]}
device: {name: 'sim:a100-pcie4'}
trainer: {kind: burn, step_ms: 180}
measure: {steps: 20, warmup: 0, epochs: 1, repeats: 1, limits: false}
"""
CELLS = 8

# Each rank gets four of the sixteen images of an epoch.
RANKS_CONFIG = """# Do four ranks starve each other?
engine: native
dataset: {path: ds}
loader: {batch_size: 1, num_workers: [0, 1], shuffle: true}
device: {name: 'sim:a100-pcie4'}
trainer: {kind: burn, step_ms: 20}
job: {ranks: 4, all_reduce_bytes: 4096}
measure: {steps: 8, warmup: 0, repeats: 1, limits: false}
"""


def load(folder):
    return json.loads((folder / "run.json").read_text())


def assert_same_cells(run, local):
    assert [cell["outcome"] for cell in run["cells"]] == ["ok"] * CELLS, run["cells"]
    for one, other in zip(run["cells"], local["cells"], strict=True):
        assert (one["cell"], one["settings"]) == (other["cell"], other["settings"])
    assert run["axes"] == local["axes"] and not run["interrupted"]


class ArraySweep:
    """The output of `feedrate plan --sbatch`: four shards on two nodes, and the job that merges them."""

    def __init__(self, cluster, work):
        self.work = work
        script = cluster.run(FEEDRATE, "plan", "sweep.yaml", "--shards", "4", "--time-limit", "10m", "--sbatch",
                             "--out", "array", cwd=work)
        (work / "submit.sh").write_text(script)
        # Three of a node's four CPUs, so that no two tasks share a node.
        cluster.run("bash", "submit.sh", "--cpus-per-task=3", cwd=work)
        self.job = cluster.run("squeue", "--noheader", "--name=sweep", "--format=%F").split()[0]

    def check(self, cluster, local):
        run = load(self.work / "array")
        assert_same_cells(run, local)
        assert run["jobid"] == self.job
        tasks = {cell["jobid"] for cell in run["cells"]}
        assert tasks == {f"{self.job}_{task}" for task in (1, 2, 3, 4)}, tasks
        assert {cell["node"] for cell in run["cells"]} == {"n1", "n2"}
        lines = (self.work / "array/cells.csv").read_text().splitlines()[1:]
        assert [line.split(",")[0] for line in lines] == [cell["jobid"] for cell in run["cells"]]


class RequeuedSweep:
    """A sweep with too short a time limit: the signal, exit code 75, the requeue, and the rest."""

    def __init__(self, cluster, work):
        self.work = work
        self.job = cluster.run("sbatch", "--parsable", "--array=1-1", "--time=1", "--job-name=requeued",
                               SOURCE / "scripts/slurm/sweep.sbatch", "sweep.yaml", "--out", "requeued",
                               cwd=work).strip()

    def check(self, cluster, local):
        about = cluster.job(f"{self.job}_1")
        assert about["JobState"] == "COMPLETED" and int(about["Restarts"]) >= 1, about
        log = (self.work / f"requeued-{self.job}_1.out").read_text()
        assert "interrupted; measured results are saved" in log, log
        assert re.search(r"requeued/shard-1-of-1: [1-7] repeats? (is|are) missing", log), log
        cluster.run(FEEDRATE, "merge", "requeued", cwd=self.work)
        run = load(self.work / "requeued")
        assert_same_cells(run, local)
        assert {cell["jobid"] for cell in run["cells"]} == {f"{self.job}_1"}


class RanksSweep:
    """One job with two ranks on each node, compared with four ranks that feedrate starts itself."""

    def __init__(self, cluster, work):
        self.work = work
        (work / "ranks.yaml").write_text(RANKS_CONFIG)
        self.job = cluster.run("sbatch", "--parsable", "--nodes=2", "--ntasks-per-node=2", "--job-name=ranks",
                               SOURCE / "scripts/slurm/ranks.sbatch", "ranks.yaml", "--out", "ranks",
                               cwd=work).strip()

    def check(self, cluster, local):
        about = cluster.job(self.job)
        assert about["JobState"] == "COMPLETED", about
        cluster.run(FEEDRATE, "sweep", "ranks.yaml", "--out", "ranks-local", cwd=self.work)
        cells, own = load(self.work / "ranks")["cells"], load(self.work / "ranks-local")["cells"]
        assert [cell["outcome"] for cell in cells] == ["ok", "ok"], cells
        for cell, other in zip(cells, own, strict=True):
            assert {**cell["settings"], "ranks_per_node": 0} == other["settings"], (cell, other)
            for name in ("steps", "batches_per_epoch", "samples_dropped"):
                assert cell["metrics"][name] == other["metrics"][name], (name, cell, other)
        assert {cell["jobid"] for cell in cells} == {self.job}
        rows = list(csv.DictReader((self.work / "ranks/ranks.csv").open()))
        for cell in cells:
            ranks = [row for row in rows if row["cell"] == str(cell["cell"])]
            assert [(row["rank"], row["node"]) for row in ranks] == [("0", "n1"), ("1", "n1"), ("2", "n2"), ("3", "n2")]
            total = sum(float(row["samples_per_second"]) for row in ranks)
            assert math.isclose(total, cell["metrics"]["samples_per_second"], rel_tol=1e-9), (total, cell)


# The constructors submit the jobs; all are checked when all jobs have ended.
JOBS = (RequeuedSweep, ArraySweep) + ((RanksSweep,) if HAS_MPI else ())


def main():
    with tempfile.TemporaryDirectory(prefix="feedrate-slurm-") as name:
        work = pathlib.Path(name)
        (work / "sweep.yaml").write_text(CONFIG)
        with Cluster(SOURCE, work / "cluster") as cluster:
            cluster.environment["FEEDRATE"] = FEEDRATE
            # Disables Open MPI's shared memory, because both nodes are this machine and use the same names.
            cluster.environment["OMPI_MCA_btl"] = "self,tcp"
            cluster.run(FEEDRATE, "data", "make", "ds", "--count", "16", cwd=work)
            jobs = [job(cluster, work) for job in JOBS]
            subprocess.run([FEEDRATE, "sweep", "sweep.yaml", "--out", "local"], cwd=work, check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            cluster.wait_for_jobs()
            try:
                for job in jobs:
                    job.check(cluster, load(work / "local"))
            except BaseException:
                for log in sorted(work.glob("*.out")):
                    print(f"--- {log.name}\n{log.read_text()}")
                raise
        cluster.assert_nothing_is_left()
    print(f"{len(jobs)} jobs agree with the local sweep; nothing is left behind")


main()
