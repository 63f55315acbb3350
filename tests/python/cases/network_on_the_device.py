# SPDX-License-Identifier: Apache-2.0
"""The dataset labels its samples with a network on the training's device (the CPU without CUDA), which the training changes
after each step. Forked workers would use the network of the moment of the fork, or fail with CUDA.

Source: pytorch/pytorch#2517, #40403, #77159, #128497.
Expected: refused, with the reason naming the teacher or the device.
"""
import hashlib
import time
import torch
from torch.utils.data import DataLoader, Dataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Labelled(Dataset):
    def __init__(self, teacher):
        self.teacher = teacher
        self.class_weights = torch.tensor([0.8373, 0.918, 0.866, 1.0345], device=DEVICE)

    def __len__(self):
        return 860

    @torch.no_grad()
    def __getitem__(self, index):
        time.sleep(0.0035)
        picture = torch.sin(torch.arange(8.0, device=DEVICE) * (index % 50 + 1))
        return picture, torch.softmax(self.teacher(picture), 0) * self.class_weights


if __name__ == "__main__":
    torch.manual_seed(0)
    torch.set_num_threads(1)
    student, teacher, trained = torch.nn.Linear(8, 4).to(DEVICE), torch.nn.Linear(8, 4).to(DEVICE), hashlib.sha256()
    for pictures, soft in DataLoader(Labelled(teacher), batch_size=2, num_workers=0):
        loss = -(soft * torch.log_softmax(student(pictures), 1)).sum()
        loss.backward()
        with torch.no_grad():
            for slow, quick in zip(teacher.parameters(), student.parameters()):
                quick -= 0.1 * quick.grad
                quick.grad = None
                slow.mul_(0.97).add_(quick, alpha=0.03)
        trained.update(pictures.cpu().numpy().tobytes() + soft.cpu().numpy().tobytes())
        time.sleep(0.002)
    print("result:", trained.hexdigest()[:16])
