# SPDX-License-Identifier: Apache-2.0
"""The dataset embeds its items with a layer that is trained with the model, so that the batches require gradients. Workers
cannot send such tensors.

Source: pytorch/pytorch#82411, pyg-team/pytorch_geometric#1967, zju3dv/NeuralRecon-W#35.
Expected: refused, with the reason naming the embedding.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset


class Ratings(Dataset):
    def __init__(self, users):
        self.embedding = torch.nn.Embedding(users, 6)

    def __len__(self):
        return 860

    def __getitem__(self, index):
        time.sleep(0.0035)
        user = torch.tensor(index * 13 % self.embedding.num_embeddings)
        return self.embedding(user), torch.tensor([float(index % 5)])


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    data, model, trained = Ratings(40), torch.nn.Linear(6, 1), hashlib.sha256()
    parameters = [*model.parameters(), *data.embedding.parameters()]
    for inputs, targets in DataLoader(data, batch_size=2, num_workers=0):
        loss = (model(inputs) - targets).square().mean()
        loss.backward()
        with torch.no_grad():
            for parameter in parameters:
                parameter -= 0.01 * parameter.grad
                parameter.grad = None
        trained.update(inputs.detach().numpy().tobytes() + targets.numpy().tobytes())
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], hashlib.sha256(data.embedding.weight.detach().numpy().tobytes()).hexdigest()[:8])
