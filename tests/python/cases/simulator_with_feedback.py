# SPDX-License-Identifier: Apache-2.0
"""The dataset gets its pictures through a socket from a simulator, and the training sends new parameters after each step.
Workers would share the socket and get pictures of old parameters.

Source: cheind/pytorch-blender examples/densityopt/densityopt.py (RemoteIterableDataset, DuplexChannel).
Expected: refused, with the reason naming the connection.
"""
import hashlib
import socket
import struct
import subprocess
import sys
import time
import torch
from torch.utils.data import DataLoader, Dataset

BLENDER = r"""
import select, socket, struct
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
data, control = server.accept()[0], server.accept()[0]
mean, rendered, running = 1.2, 0, True
while running:
    for ready in select.select([data, control], [], [])[0]:
        message = ready.recv(8, socket.MSG_WAITALL)
        if not message:
            running = False
        elif ready is control:
            mean = struct.unpack("!d", message)[0]
            control.sendall(b"ok")
        else:
            rendered += 1
            seed = struct.unpack("!q", message)[0]
            data.sendall(struct.pack("!8d", *(mean * (1 + (seed * 31 + k * 17) % 7) for k in range(8))))
"""


class RemoteDataset(Dataset):
    def __init__(self, port, max_items):
        self.connection, self.max_items = socket.create_connection(("127.0.0.1", port)), max_items
        self.connection.settimeout(60)

    def __len__(self):
        return self.max_items

    def __getitem__(self, index):
        time.sleep(0.0035)
        self.connection.sendall(struct.pack("!q", index))
        return torch.tensor(struct.unpack("!8d", self.connection.recv(64, socket.MSG_WAITALL)), dtype=torch.float64)


class DuplexChannel:
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))

    def send(self, mean):
        self.connection.sendall(struct.pack("!d", mean))
        assert self.connection.recv(2, socket.MSG_WAITALL) == b"ok"


if __name__ == "__main__":
    blender, trained = subprocess.Popen([sys.executable, "-c", BLENDER], stdout=subprocess.PIPE, text=True), hashlib.sha256()
    port = int(blender.stdout.readline())
    data, remote, mean = RemoteDataset(port, 860), DuplexChannel(port), 1.2
    for batch in DataLoader(data, batch_size=2, num_workers=0):
        trained.update(batch.numpy().tobytes())
        mean -= 0.05 * (float(batch.mean()) / 4 - 3.0)
        remote.send(mean)
        time.sleep(0.0025)
    data.connection.close()
    remote.connection.close()
    blender.wait()
    print("result:", trained.hexdigest()[:16], "mean:", round(mean, 6))
