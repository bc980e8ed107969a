"""What there is for a second layer to add to a trained first one, on held-out parts of the training data.

A layer above changes what is expected of the first one's units in two ways: it remembers more of their past than the
last n steps, and it lets the units of one step depend on each other. Here both are given to a shallow model directly,
without any layer: its prior's logits are corrected by a network that sees the units of more past steps, and by a
regression on the units of the same step that come before each in order; but for biases all styles share a correction.
They learn from the training part, and the best of several (rates, decays, looks) on the very frames it is judged by is
told, so it flatters. `python benchmarks/headroom.py mocap2` prints, in nats a frame, how much more probable they make
the hidden states that q proposes, and the squared error of one-step predictions with them and without.
"""

import argparse
from collections.abc import Callable
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Array, Float, Int
from rich.console import Console
from rich.table import Table

import choose
import tsbn
from tsbn.data import Sequences
from tsbn.estimators.whole_sequences import over_sequences
from tsbn.inference.posterior import draw
from tsbn.model import bernoulli
from tsbn.model.weights import specialise
from tsbn.reproduce.experiments import classify
from tsbn.reproduce.experiments.mocap2 import FACTORED
from tsbn.reproduce.labelling import WINDOW, problem
from tsbn.reproduce.predicting import Task

SAMPLES, FURTHER, UNITS = 4, 4, 100
STEPS, LOOK = 300, 10
RATES, DECAYS = (3e-4, 3e-3), (1e-3, 1e-2)


def windows() -> Task:
    """Windows of seven frames, as they are learnt from and judged in a rehearsal of `classify`, every fourth one."""
    given = problem(classify.data(), "end", 0.75, rehearsal=True)
    parts = (Sequences(list(cases.windows[::4]), side=[str(one) for one in cases.styles[::4]]) for cases in given)
    learnt, _, judged = parts
    return Task(learnt, judged, {}, skip=0)


MODELS: dict[str, tuple[Callable[[], Task], Callable[[], tsbn.FCTSBN]]] = {
    "mocap2": (choose.mocap2, FACTORED),
    "weather": (partial(choose.weather, 2001, "25d"), partial(choose.WEATHER_BEST, **choose.PLAIN)),
    "classify": (windows, partial(tsbn.FCTSBN, factors=50, order=WINDOW - 1, **classify.SETTINGS)),
    "mocap10": (choose.mocap10, partial(choose.MOCAP10_BEST, **choose.MOCAP10_PLAIN)),
}


class Histories(NamedTuple):
    """Sampled hidden states, a row for each sample of each frame, and what the model makes of them.

    - `h`, `logits`: the states that q proposes, and the prior's logits of them given the past.
    - `before`: the states of the steps before, the latest first.
    - `y`: the side information.
    - `missing`: what the hidden units must add to the mean: the frame less what past frames contribute.
    - `W2`: how they do, a matrix for each sequence.
    - `sequence`, `frame`: a row's place in `W2`, and the number of its frame, which several samples share.
    """

    h: Float[Array, "rows hidden"]
    logits: Float[Array, "rows hidden"]
    before: Float[Array, "rows past_hidden"]
    y: Float[Array, "rows side"]
    missing: Float[Array, "rows visible"]
    W2: Float[Array, "sequences visible hidden"]
    sequence: Int[Array, " rows"]
    frame: Int[Array, " rows"]


def histories(model: tsbn.FCTSBN, data: Sequences, skip: int, seed: int) -> Histories:
    """Histories from q of every sequence, from frame `skip` on."""

    def sampled(given, piece, key, samples):
        network = specialise(given.network, piece.y)

        def one(k):
            path = draw(given, piece, k)
            past = network.past(path.v, path.hs, piece.y)
            return path.hs[0], past.layers[0], path.v - past.heads[0]

        W2 = given.network.heads[0].W2.matrices(piece.y[0])[0]
        return *jax.vmap(one)(jax.random.split(key, samples)), W2

    given, arrays, sides = model._given(data, None)
    reach, parts, frames = model.order + FURTHER, [], 0
    found = over_sequences(sampled, given, arrays, sides, SAMPLES, seed)
    for number, (array, side, (h, logits, missing, _)) in enumerate(zip(arrays, sides, found, strict=True)):
        times = np.arange(skip, len(array))
        padded = np.pad(h, ((0, 0), (reach, 0), (0, 0)))
        before = np.concatenate([padded[:, times + reach - lag] for lag in range(1, reach + 1)], axis=-1)
        y = np.broadcast_to(side[0], (SAMPLES, len(times), side.shape[1]))
        rows = (h[:, times], logits[:, times], before, y, missing[:, times])
        flat = [x.reshape(-1, x.shape[-1]) for x in rows]
        parts.append((*flat, np.full(len(flat[0]), number), np.tile(frames + np.arange(len(times)), SAMPLES)))
        frames += len(times)
    h, logits, before, y, missing, sequence, frame = (jnp.concatenate(part) for part in zip(*parts, strict=True))
    return Histories(h, logits, before, y, missing, jnp.stack([one[-1] for one in found]), sequence, frame)


class Memory(NamedTuple):
    """What more past steps add to the prior's logits, directly and through rectified units."""

    direct: Float[Array, "hidden past_hidden"]
    inward: Float[Array, "units past_hidden"]
    outward: Float[Array, "hidden units"]
    biases: Float[Array, "hidden side"]

    def __call__(self, given: Histories) -> Float[Array, "rows hidden"]:
        units = jax.nn.relu(given.before @ self.inward.T)
        return given.logits + given.before @ self.direct.T + units @ self.outward.T + given.y @ self.biases.T


class Coupling(NamedTuple):
    """What the units of the same step add, to each of them those before it."""

    others: Float[Array, "hidden hidden"]
    biases: Float[Array, "hidden side"]

    def __call__(self, given: Histories) -> Float[Array, "rows hidden"]:
        return given.logits + given.h @ jnp.tril(self.others, -1).T + given.y @ self.biases.T


Correction = Memory | Coupling


def nats(given: Histories, logits: Float[Array, "rows hidden"]) -> Float[Array, ""]:
    """Mean log-probability of the states of a frame."""
    return jnp.mean(bernoulli.log_prob(given.h, logits))


@jax.jit
def error(given: Histories, logits: Float[Array, "rows hidden"]) -> Float[Array, ""]:
    """Squared error of the mean over histories, if the units are expected with these logits."""
    chances = jax.nn.sigmoid(logits)
    added = jax.lax.map(lambda row: given.W2[row[0]] @ row[1], (given.sequence, chances), batch_size=1000)
    frames = jnp.zeros((len(given.h) // SAMPLES, added.shape[1])).at[given.frame].add((given.missing - added) / SAMPLES)
    return jnp.mean(jnp.sum(jnp.square(frames), axis=1))


@partial(jax.jit, static_argnames=("rate", "decay"))
def looks(start: Correction, train: Histories, rate: float, decay: float) -> Any:
    """The correction after each look at it, learnt from all rows at once: every array has a first axis more."""
    optimiser = optax.adamw(optax.cosine_decay_schedule(rate, STEPS), weight_decay=decay / rate)

    def step(state, _):
        now, kept = state
        gradient = jax.grad(lambda correction: -nats(train, correction(train)))(now)
        change, kept = optimiser.update(gradient, kept, now)
        return (optax.apply_updates(now, change), kept), None

    def look(state, _):
        state = jax.lax.scan(step, state, length=LOOK)[0]
        return state, state[0]

    return jax.lax.scan(look, (start, optimiser.init(start)), length=STEPS // LOOK)[1]


def corrected(start: Correction, train: Histories, test: Histories) -> list[Float[Array, "rows hidden"]]:
    """Logits of the test rows, as they are, and by what was learnt from the training rows after each look."""
    found = [test.logits]
    for rate, decay in product(RATES, DECAYS):
        of_looks = looks(start, train, rate, decay)
        found += [jax.tree.map(lambda x, n=n: x[n], of_looks)(test) for n in range(STEPS // LOOK)]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", choices=MODELS)
    parser.add_argument("--seeds", type=int, default=2, help="trainings of the shallow model (default 2)")
    options = parser.parse_args()
    load, make = MODELS[options.data]
    on = load()
    table = Table(title=f"{options.data}: the first layer's units given their past, and what corrections add")
    for heading in ("seed", "prior, nats a frame", "+ memory", "+ coupling", "error", "with memory"):
        table.add_column(heading)
    for seed in range(options.seeds):
        model = make().fit(on.train, validation=0, seed=seed)
        train, test = (histories(model, data, on.skip, seed) for data in (on.train, on.test))
        units, reach, styles = train.h.shape[1], train.before.shape[1], train.y.shape[1]
        inward = jax.random.normal(jax.random.key(seed), (UNITS, reach)) / np.sqrt(reach)
        nothing = jnp.zeros((units, styles))
        memory = Memory(jnp.zeros((units, reach)), inward, jnp.zeros((units, UNITS)), nothing)
        coupling = Coupling(jnp.zeros((units, units)), nothing)
        remembering, coupled = corrected(memory, train, test), corrected(coupling, train, test)
        prior, alone = float(nats(test, test.logits)), float(error(test, test.logits))
        gains = [max(float(nats(test, logits)) for logits in by) - prior for by in (remembering, coupled)]
        best = min(float(error(test, logits)) for logits in remembering)
        told = (f"{prior:.2f}", *(f"{gain:+.2f}" for gain in gains), f"{alone:.4g}", f"{best:.4g}")
        table.add_row(str(seed), *told)
    Console().print(table)


if __name__ == "__main__":
    main()
