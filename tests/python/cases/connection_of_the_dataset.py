# SPDX-License-Identifier: Apache-2.0
"""The dataset opens one connection to a server in its constructor. Forked workers would share it and read each other's
answers.

Source: choosehappy/QuickAnnotator#127, psycopg/psycopg2#1355, pfnet/pfio#266.
Expected: refused, with the reason naming the connection.
"""
import socket
import struct
import subprocess
import sys
import time
import torch
from torch.utils.data import DataLoader, Dataset

SERVER = r"""
import socket, struct, time
server = socket.create_server(("127.0.0.1", 0))
print(server.getsockname()[1], flush=True)
connection, _ = server.accept()
asked = connection.makefile("rb")
while question := asked.read(8):
    time.sleep(0.002)
    connection.sendall(question)
"""


class Store(Dataset):
    def __init__(self, port):
        self.connection = socket.create_connection(("127.0.0.1", port))
        self.connection.settimeout(30)

    def __len__(self):
        return 1600

    def __getitem__(self, index):
        self.connection.sendall(struct.pack("!q", index))
        return index, struct.unpack("!q", self.connection.recv(8, socket.MSG_WAITALL))[0]


if __name__ == "__main__":
    server = subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True)
    data, wrong, trained = Store(int(server.stdout.readline())), 0, 0
    for index, record in DataLoader(data, batch_size=8):
        wrong += not torch.equal(index, record)
        trained = hash((trained, *record.tolist()))
        time.sleep(0.005)
    data.connection.close()
    server.kill()
    server.communicate()
    print("result:", trained, "batches with another record's data:", wrong)
