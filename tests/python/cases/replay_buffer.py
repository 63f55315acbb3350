# SPDX-License-Identifier: Apache-2.0
"""The dataset is a replay buffer to which the training adds after each step. Workers would have the buffer of the moment of
the fork.

Source: MishaLaskin/curl utils.py (ReplayBuffer), Yoshi-0921/EXP utils/dataset.py, Lightning-Universe/lightning-bolts#280.
Expected: refused, with the reason naming obses, idx, actions or rewards.
"""
import hashlib
import time
import numpy
from torch.utils.data import DataLoader, Dataset


class ReplayBuffer(Dataset):
    def __init__(self, capacity, draws):
        self.obses = numpy.zeros((capacity, 4), numpy.float32)
        self.actions = numpy.zeros(capacity, numpy.int64)
        self.rewards = numpy.zeros(capacity, numpy.float32)
        self.capacity, self.draws, self.idx, self.full = capacity, draws, 0, False

    def add(self, obs, action, reward):
        numpy.copyto(self.obses[self.idx], obs)
        self.actions[self.idx], self.rewards[self.idx] = action, reward
        self.idx = (self.idx + 1) % self.capacity
        self.full = self.full or self.idx == 0

    def __len__(self):
        return self.draws

    def __getitem__(self, index):
        time.sleep(0.0035)
        place = index * 2654435761 % (self.capacity if self.full else self.idx)
        return self.obses[place].copy(), self.actions[place], self.rewards[place]


class Agent:
    def __init__(self):
        self.value = numpy.zeros(5)

    def act(self, obs):
        return int((self.value + numpy.abs(obs).sum() * numpy.arange(5)).argmax()) if obs[0] > 0 else int(obs[1] * 1e3) % 5

    def update(self, actions, rewards):
        for action, reward in zip(actions.tolist(), rewards.tolist()):
            self.value[action] += 0.1 * (reward - self.value[action])


if __name__ == "__main__":
    buffer, agent, environment, trained = ReplayBuffer(200, 860), Agent(), numpy.random.RandomState(2), hashlib.sha256()

    def step():
        obs = environment.randn(4).astype(numpy.float32)
        action = agent.act(obs)
        buffer.add(obs, action, (action * 3 % 5) + obs[2])

    for _ in range(10):
        step()
    for obs, actions, rewards in DataLoader(buffer, batch_size=2, num_workers=0):
        trained.update(obs.numpy().tobytes() + actions.numpy().tobytes() + rewards.numpy().tobytes())
        agent.update(actions, rewards)
        step()
        time.sleep(0.0025)
    print("result:", trained.hexdigest()[:16], hashlib.sha256(buffer.obses.tobytes()).hexdigest()[:8])
