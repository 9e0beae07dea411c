#!/usr/bin/python3
"""A language model of random weights by llama.cpp. Its library ggml has a pool of threads for each context, which meet
at a barrier that spins: ggml's own, or OpenMP's."""

import driver

LLAMA = driver.ROOT / ".venv-workloads" / "llama"  # made by scripts/setup workloads
BARRIERS = ("own", "openmp")

me = driver.Driver("llama", "llama: a language model of random weights by llama.cpp.", pool="a context")
me.choice("--barrier", BARRIERS, "at which ggml's threads meet")
me.whole("--layers", 6, 1, 64, "of the model")
me.whole("--width", 256, 64, 4096, "of a layer, in steps of 64")
me.whole("--tokens", 24, 1, 256, "of a sequence, computed one by one")
me.whole("--sequences", 24, 1, 10**6, "calls, which the contexts divide")
given = me.read()
libraries = LLAMA / given.barrier
if not (libraries / "libllama.so").exists():
    me.refuse(f"{libraries}/libllama.so is missing: scripts/setup workloads builds it")
variables = {"LLAMA_CPP_LIB_PATH": str(libraries), "PYTHONPATH": f"{LLAMA}/python"}
me.python(driver.VENV, "numpy", "gguf", "llama_cpp", variables=variables)

import ctypes  # noqa: E402
import tempfile  # noqa: E402
from pathlib import Path  # noqa: E402

import gguf  # noqa: E402
import numpy as np  # noqa: E402
from llama_cpp import llama_cpp as llama  # noqa: E402

HEAD = 64
if given.width % HEAD:
    me.refuse(f"--width takes a multiple of {HEAD}, not {given.width}")
LAYERS, WIDTH, HEADS, INNER, WORDS = given.layers, given.width, given.width // HEAD, 2 * given.width, 256
EPSILON, BASE = 1e-5, 10_000.0
ROTATED = WIDTH // HEADS

random = np.random.default_rng(1)


def drawn(*shape: int) -> np.ndarray:
    return (random.standard_normal(shape) * shape[-1] ** -0.5).astype(np.float32)


SHAPES = {
    "attn_q": (WIDTH, WIDTH), "attn_k": (WIDTH, WIDTH), "attn_v": (WIDTH, WIDTH), "attn_output": (WIDTH, WIDTH),
    "ffn_gate": (INNER, WIDTH), "ffn_up": (INNER, WIDTH), "ffn_down": (WIDTH, INNER),
}  # fmt: skip
weights = {"token_embd": drawn(WORDS, WIDTH), "output": drawn(WORDS, WIDTH)}
weights |= {f"blk.{layer}.{name}": drawn(*shape) for layer in range(LAYERS) for name, shape in SHAPES.items()}
norms = ["output_norm", *(f"blk.{layer}.{name}" for layer in range(LAYERS) for name in ("attn_norm", "ffn_norm"))]
tokens = [random.integers(0, WORDS, given.tokens) for _ in range(given.sequences)]


def write(path: Path) -> None:
    made = gguf.GGUFWriter(path, "llama")
    made.add_context_length(256)
    made.add_embedding_length(WIDTH)
    made.add_block_count(LAYERS)
    made.add_feed_forward_length(INNER)
    made.add_head_count(HEADS)
    made.add_rope_dimension_count(ROTATED)
    made.add_rope_freq_base(BASE)
    made.add_layer_norm_rms_eps(EPSILON)
    made.add_vocab_size(WORDS)
    made.add_tokenizer_model("no_vocab")
    for name, tensor in (*weights.items(), *((name, np.ones(WIDTH, np.float32)) for name in norms)):
        made.add_tensor(f"{name}.weight", tensor)
    made.write_header_to_file()
    made.write_kv_data_to_file()
    made.write_tensors_to_file()
    made.close()


def scores(sequence: np.ndarray) -> np.ndarray:
    """Of the last token, in double precision."""

    def scaled(x: np.ndarray) -> np.ndarray:
        return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + EPSILON)

    def heads(x: np.ndarray, name: str) -> np.ndarray:
        return (x @ weights[name].astype(float).T).reshape(-1, HEADS, ROTATED).transpose(1, 0, 2)

    angle = np.arange(len(sequence))[:, None] * BASE ** (-np.arange(0, ROTATED, 2) / ROTATED)

    def turned(x: np.ndarray) -> np.ndarray:
        """Neighbouring numbers are the coordinates of a point."""
        even, odd = x[..., ::2], x[..., 1::2]
        pairs = even * np.cos(angle) - odd * np.sin(angle), even * np.sin(angle) + odd * np.cos(angle)
        return np.stack(pairs, axis=-1).reshape(x.shape)

    x = weights["token_embd"][sequence].astype(float)
    for layer in range(LAYERS):
        at = f"blk.{layer}."
        seen = scaled(x)
        match = turned(heads(seen, f"{at}attn_q")) @ turned(heads(seen, f"{at}attn_k")).transpose(0, 2, 1)
        match = np.exp(match / ROTATED**0.5) * np.tri(len(sequence))
        mixed = match / match.sum(axis=-1, keepdims=True) @ heads(seen, f"{at}attn_v")
        x = x + mixed.transpose(1, 0, 2).reshape(-1, WIDTH) @ weights[f"{at}attn_output"].astype(float).T
        seen = scaled(x)
        gate = seen @ weights[f"{at}ffn_gate"].astype(float).T
        inner = gate / (1 + np.exp(-gate)) * (seen @ weights[f"{at}ffn_up"].astype(float).T)
        x = x + inner @ weights[f"{at}ffn_down"].astype(float).T
    return scaled(x[-1]) @ weights["output"].astype(float).T


def context(model: object) -> object:
    """Its threads stay, as those of llama.cpp's own programs do."""
    how = llama.llama_context_default_params()
    how.n_ctx, how.n_batch, how.n_ubatch = 256, 32, 32
    how.n_threads = how.n_threads_batch = me.pool
    how.type_k = how.type_v = 0  # single precision
    how.flash_attn_type = 0  # takes half precision
    made = llama.llama_init_from_model(model, how)
    ggml = ctypes.CDLL(str(libraries / "libggml-cpu.so"))
    ggml.ggml_threadpool_new.restype = ctypes.c_void_p
    asked = ctypes.create_string_buffer(4096)  # more than the structure has
    ggml.ggml_threadpool_params_init(asked, me.pool)
    pool = ctypes.c_void_p(ggml.ggml_threadpool_new(asked))
    ctypes.CDLL(str(libraries / "libllama.so")).llama_attach_threadpool(ctypes.c_void_p(made), pool, pool)
    return made


@llama.llama_log_callback
def silent(*_: object) -> None:
    pass


llama.llama_log_set(silent, None)
llama.llama_backend_init()
with tempfile.TemporaryDirectory(prefix="weir-llama-") as folder:
    write(Path(folder) / "model.gguf")
    model = llama.llama_model_load_from_file(
        str(Path(folder) / "model.gguf").encode(), llama.llama_model_default_params()
    )
    if model is None:
        me.finish("nothing", ["the model was not loaded"])
contexts = [context(model) for _ in range(me.threads)]


def computed(caller: int) -> list[np.ndarray]:
    """By one context, one sequence after another."""
    ctx, found = contexts[caller], []
    for sequence in tokens[caller :: me.threads]:
        llama.llama_memory_clear(llama.llama_get_memory(ctx), True)
        for token in sequence:
            one = (llama.llama_token * 1)(int(token))
            if llama.llama_decode(ctx, llama.llama_batch_get_one(one, 1)) != 0:
                return found
        found.append(np.array(llama.llama_get_logits(ctx)[:WORDS]))
    return found


parts = me.timed([lambda caller=caller: computed(caller) for caller in range(me.threads)])
wrong, total = [], 0.0
for number, sequence in enumerate(tokens):
    part = parts[number % me.threads][number // me.threads : number // me.threads + 1]
    right = scores(sequence)
    if not part or not abs(part[0] - right).max() <= 1e-4 * abs(right).max():
        wrong.append(f"the scores of sequence {number} are off by {abs(part[0] - right).max() if part else np.nan:.1e}")
    total += sum(float(abs(one).sum(dtype=float)) for one in part)
me.finish(f"{given.sequences} sequences of {given.tokens} tokens, sum {total:.4e}", wrong, f"barrier {given.barrier}")
