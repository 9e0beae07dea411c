#!/usr/bin/python3
"""A network of dense layers by ONNX Runtime, which has a pool of threads for each session. They may spin for work."""

import driver

me = driver.Driver("inference", "inference: a network of dense layers by ONNX Runtime.", pool="a session")
me.choice("--spinning", ("on", "off"), "what threads without work do for a while before they sleep")
me.whole("--layers", 12, 1, 1000, "of the network")
me.whole("--width", 256, 8, 8192, "of a layer")
me.whole("--images", 16, 1, 10000, "rows of a batch")
me.whole("--batches", 400, 1, 10**6, "calls, which the sessions divide")
given = me.read()
me.python(driver.VENV, "numpy", "onnx", "onnxruntime")

import numpy as np  # noqa: E402
import onnxruntime  # noqa: E402
from onnx import TensorProto, helper, numpy_helper  # noqa: E402

OPSET, IR = 17, 8
random = np.random.default_rng(1)
# The answers keep their size from layer to layer.
weights = [
    (random.standard_normal((given.width, given.width)) * (2 / given.width) ** 0.5).astype(np.float32)
    for _ in range(given.layers)
]
batches = [random.standard_normal((given.images, given.width)).astype(np.float32) for _ in range(min(given.batches, 8))]


def network() -> bytes:
    """Each layer is a product and a rectifier."""
    nodes, at = [], "in"
    for layer in range(given.layers):
        nodes.append(helper.make_node("MatMul", [at, f"w{layer}"], [f"p{layer}"]))
        at = f"r{layer}"
        nodes.append(helper.make_node("Relu", [f"p{layer}"], [at]))
    shape = [given.images, given.width]
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in ("in", at)]
    held = [numpy_helper.from_array(matrix, f"w{layer}") for layer, matrix in enumerate(weights)]
    graph = helper.make_graph(nodes, "layers", ends[:1], ends[1:], held)
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR)
    return made.SerializeToString()


def session() -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.inter_op_num_threads = me.pool, 1
    options.add_session_config_entry("session.intra_op.allow_spinning", "1" if given.spinning == "on" else "0")
    return onnxruntime.InferenceSession(network(), options, providers=["CPUExecutionProvider"])


def exact(rows: np.ndarray) -> np.ndarray:
    for matrix in weights:
        rows = np.maximum(np.einsum("ij,jk->ik", rows, matrix.astype(float)), 0)
    return rows


sessions = [session() for _ in range(me.threads)]


def answered(caller: int) -> np.ndarray:
    """Of one session after another. The sum of all answers to each batch."""
    sums = np.zeros(len(batches))
    for number in range(caller, given.batches, me.threads):
        (answers,) = sessions[caller].run(None, {"in": batches[number % len(batches)]})
        sums[number % len(batches)] += answers.sum(dtype=float)
    return sums


sums = sum(me.timed([lambda caller=caller: answered(caller) for caller in range(me.threads)]))
wrong = []
for number, rows in enumerate(batches):
    calls = len(range(number, given.batches, len(batches)))
    right = calls * exact(rows.astype(float)).sum()
    if not abs(sums[number] / right - 1) <= 1e-4:
        wrong.append(f"the answers to batch {number} have the sum {sums[number]:.6e} and not {right:.6e}")
# Single precision: five digits are the same for each number of threads.
me.finish(f"{given.batches} batches of {given.images} rows, {given.layers} layers, sum {sums.sum():.4e}", wrong)
