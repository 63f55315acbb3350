# SPDX-License-Identifier: Apache-2.0
"""The dataset has an asyncio event loop with a connection. Forked workers would share the connection and the loop's epoll
object.

Source: opentensor/bittensor bittensor/_dataset/dataset_impl.py (set_event_loop), czbiohub-sf/iohub#416.
Expected: refused, with the reason naming the event loop or the connection.
"""
import asyncio
import hashlib
import subprocess
import sys
import time
import torch
from torch.utils.data import DataLoader, Dataset

GATEWAY = r"""
import asyncio
async def serve(reader, writer):
    try:
        while line := await reader.readline():
            cid = int(line)
            writer.write(b"".join((cid * 1000 + k).to_bytes(8, "little") for k in range(8)))
            await writer.drain()
    except ConnectionError:
        pass
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""


class Blocks(Dataset):
    def __init__(self, port):
        self.loop = asyncio.new_event_loop()
        self.reader, self.writer = self.loop.run_until_complete(asyncio.open_connection("127.0.0.1", port))

    async def cat(self, cid):
        self.writer.write(b"%d\n" % cid)
        await self.writer.drain()
        return await asyncio.wait_for(self.reader.readexactly(64), 60)

    def __len__(self):
        return 860

    def __getitem__(self, index):
        time.sleep(0.0035)
        return torch.frombuffer(bytearray(self.loop.run_until_complete(self.cat(index * 7 % 860))), dtype=torch.int64)

    def close(self):
        self.writer.close()
        self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.close()


if __name__ == "__main__":
    gateway, trained = subprocess.Popen([sys.executable, "-c", GATEWAY], stdout=subprocess.PIPE, text=True), hashlib.sha256()
    data = Blocks(int(gateway.stdout.readline()))
    for batch in DataLoader(data, batch_size=2, num_workers=0):
        trained.update(batch.numpy().tobytes())
        time.sleep(0.0025)
    data.close()
    gateway.kill()
    gateway.wait()
    print("result:", trained.hexdigest()[:16])
