# SPDX-License-Identifier: Apache-2.0
"""The dataset opens one SQLite connection in its constructor, and counts in a transaction how often it has drawn a
record. SQLite forbids the use of a connection after a fork.

Source: graphnet-team/graphnet#243, plasticityai/magnitude#80, pyg-team/pytorch_geometric#8661.
Expected: refused, with the reason naming the connection or sqlite3.
"""
import hashlib
import os
import sqlite3
import tempfile
import time
import torch
from torch.utils.data import DataLoader, Dataset


class OnDisk(Dataset):
    def __init__(self, path, records):
        self.records, self._conn = records, sqlite3.connect(path)
        self._conn.execute("CREATE TABLE IF NOT EXISTS data (id INTEGER PRIMARY KEY, record BLOB, drawn INTEGER DEFAULT 0)")
        self._conn.executemany("INSERT INTO data (id, record) VALUES (?, ?)", ((i, bytes([i % 256, i // 256] * 8)) for i in range(records)))
        self._conn.commit()

    def __len__(self):
        return self.records

    def __getitem__(self, index):
        time.sleep(0.0035)
        record, drawn = self._conn.execute("SELECT record, drawn FROM data WHERE id = ?", (index,)).fetchone()
        self._conn.execute("UPDATE data SET drawn = drawn + 1 WHERE id = ?", (index,))
        return torch.tensor(list(record)), drawn

    def end_epoch(self):
        self._conn.commit()
        return self._conn.execute("SELECT sum(drawn) FROM data").fetchone()[0]


if __name__ == "__main__":
    trained = hashlib.sha256()
    with tempfile.TemporaryDirectory() as folder:
        data = OnDisk(os.path.join(folder, "graphs.db"), 280)
        loader = DataLoader(data, batch_size=2, shuffle=True, num_workers=0, generator=torch.Generator().manual_seed(5))
        for _ in range(3):
            for records, drawn in loader:
                trained.update(records.numpy().tobytes() + drawn.numpy().tobytes())
                time.sleep(0.0025)
            drawn = data.end_epoch()
    print("result:", trained.hexdigest()[:16], "drawn:", drawn)
