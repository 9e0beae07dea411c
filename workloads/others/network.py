#!/usr/bin/python3
"""A convolutional network by PyTorch, as Debian has it, over OpenBLAS with OpenMP: answers, and steps of training."""

import driver

me = driver.Driver("network", "network: a convolutional network by PyTorch.")
me.choice("--do", ("answer", "train"), "answers of the network, or steps of its training")
me.whole("--images", 16, 2, 10000, "of a batch")
me.whole("--size", 48, 8, 1000, "pixels of an image on each side")
me.whole("--batches", 24, 1, 10000, "calls, each with a batch and a network of its own")
given = me.read()
me.python(driver.DEBIANS, "torch", libraries=driver.openblas())

import copy  # noqa: E402

import torch  # noqa: E402

CLASSES = 10
LEARNING = 0.05


def network() -> torch.nn.Sequential:
    torch.manual_seed(1)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 24, 3, padding=1),
        torch.nn.BatchNorm2d(24),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(24, 48, 3, padding=1),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(4),
        torch.nn.Flatten(),
        torch.nn.Linear(48 * 16, 256),
        torch.nn.ReLU(),
        torch.nn.Linear(256, CLASSES),
    ).eval()


def batch(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    random = torch.Generator().manual_seed(seed)
    images = torch.randn(given.images, 3, given.size, given.size, generator=random)
    return images, torch.randint(CLASSES, (given.images,), generator=random)


def loss(model: torch.nn.Module, images: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.cross_entropy(model(images), classes)


def answered(model: torch.nn.Module, images: torch.Tensor, _: torch.Tensor) -> torch.Tensor:
    with torch.no_grad():
        return model(images)


def trained(model: torch.nn.Module, images: torch.Tensor, classes: torch.Tensor) -> torch.Tensor:
    """One step. The gradients, all in a row."""
    optimizer = torch.optim.SGD(model.parameters(), LEARNING)
    optimizer.zero_grad()
    loss(model, images, classes).backward()
    optimizer.step()
    return torch.cat([parameter.grad.flatten() for parameter in model.parameters()])


# Expected is what the same network computes in double precision, of the first batch.
compute = answered if given.do == "answer" else trained
batches = [batch(seed) for seed in range(given.batches)]
models = [network() for _ in batches]
before = copy.deepcopy(models[0])
found = me.timed([lambda pair=pair: compute(pair[0], *pair[1]) for pair in zip(models, batches, strict=True)])

exact = compute(copy.deepcopy(before).double(), batches[0][0].double(), batches[0][1])
wrong = []
if not (error := float((found[0] - exact).abs().max() / exact.abs().max())) <= 1e-4:
    wrong.append(f"the first batch is {error:.1e} off the result in double precision")
if given.do == "train":
    images, classes = batches[0]
    with torch.no_grad():
        exact_loss = [float(loss(model.double(), images.double(), classes)) for model in (before, models[0])]
    gained = exact_loss[0] - exact_loss[1]
    # A small step against the gradient g lowers the loss by about the step's length times g squared.
    if not 0.5 < gained / (LEARNING * float((exact**2).sum())) < 1.5:
        wrong.append(f"the step has lowered the loss by {gained:.1e}")
# Single precision, and sums that are divided among threads: five digits are the same for each team.
total = sum(float(part.double().abs().sum()) for part in found)
me.finish(f"{given.batches} batches of {given.images} images, sum {total:.4e}", wrong)
