"""ResNet-50 in bfloat16 on a folder of JPEGs, as many scripts have it; says its own rate every 50 steps. With --log it keeps
an exact checksum of each sample as it lies on the device, in the order of training."""
import argparse
import time

import torch
import torchvision
from torch.utils.data import DataLoader
from torchvision import transforms

parser = argparse.ArgumentParser()
parser.add_argument("data")
parser.add_argument("--steps", type=int, default=300)
parser.add_argument("--workers", type=int, default=4)
parser.add_argument("--batch-size", type=int, default=64)
parser.add_argument("--model", default="resnet50")
parser.add_argument("--size", type=int, default=224)
parser.add_argument("--device", default="cuda")
parser.add_argument("--pin", action="store_true")
parser.add_argument("--item-every", type=int, default=10)
parser.add_argument("--log")
given = parser.parse_args()

torch.manual_seed(0)
# Nothing random: how workers share the samples must not change a pixel.
dataset = torchvision.datasets.ImageFolder(given.data, transforms.Compose([
    transforms.Resize(given.size * 8 // 7), transforms.CenterCrop(given.size), transforms.ToTensor(),
    transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]))
loader = DataLoader(dataset, batch_size=given.batch_size, shuffle=True, num_workers=given.workers, pin_memory=given.pin, drop_last=True)
device = torch.device(given.device)
torch.backends.cudnn.benchmark = True
model = getattr(torchvision.models, given.model)(num_classes=1000).to(device, memory_format=torch.channels_last)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
loss_of = torch.nn.CrossEntropyLoss()

step, rates, sums, begin = 0, [], [], time.monotonic()
while step < given.steps:
    for images, labels in loader:
        images = images.to(device, memory_format=torch.channels_last)
        labels = labels.to(device)
        if given.log:
            sums.append(images.view(torch.int32).sum(dim=(1, 2, 3), dtype=torch.int64) * 1009 + labels)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=device.type == "cuda"):
            loss = loss_of(model(images), labels)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % given.item_every == 0:
            loss.item()
        if step % 50 == 0:
            now = time.monotonic()
            rates.append(50 * given.batch_size / (now - begin))
            print(f"step {step}: {rates[-1]:.0f} images/s", flush=True)
            begin = now
        if step == given.steps:
            break
if given.log:
    torch.save(torch.stack(sums).cpu(), given.log)
if rates:
    print(f"first 50 steps {rates[0]:.0f}, last 50 steps {rates[-1]:.0f} images/s")
