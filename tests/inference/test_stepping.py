"""Walking step by step, compiled or in NumPy, gives what the equations give for all steps at once."""

import dataclasses

import jax
import numpy as np
import pytest
from scipy import stats

from cases import FAMILY, random_frames, random_model, random_piece, random_side
from exact import binary_sequences, doubles, generative, moments
from sampling import assert_frequencies, assert_mean
from tsbn.choices import Choices
from tsbn.inference import stepping
from tsbn.inference.generation import Recent, generate, recent_after
from tsbn.inference.stepping import Stepper, Trail
from tsbn.inference.stream import FrameSource, drawn, mean
from tsbn.model.architecture import Architecture
from tsbn.model.observations import Student
from tsbn.model.walking import ready

TIME = 6


def any_path(model, architecture, y):
    """Frames, hidden states, their logits and outputs: all steps at once, in double precision."""
    random = np.random.default_rng(3)
    v = np.asarray(random_frames(architecture, TIME))
    hs = [random.integers(0, 2, (1, TIME, size)).astype(float) for size in architecture.hidden]
    plain = doubles(model)
    _, hs, outputs = generative(plain, v[None].astype(float), hs, np.asarray(y, float))
    return v, [h[0] for h in hs], [output[0] for output in outputs]


def settled_logits(model, v, hs, y):
    hs = tuple(jax.numpy.asarray(h, "float32") for h in hs)
    return model.network.logits(model.network.past(jax.numpy.asarray(v), hs, y), hs, y)


def stepped(stepper, ys, v, hs):
    """Logits and outputs of every step, with the states and frames prescribed."""
    logits, outputs = [], []
    for t, y in enumerate(ys):
        heard = {}

        def choose(layer, z, heard=heard, t=t):
            heard[layer] = z
            return hs[layer][t].astype(np.float32)

        def emit(found, t=t):
            outputs.append(found)
            return v[t]

        stepper.step(np.asarray(y), choose, emit)
        logits.append(heard)
    return logits, outputs


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("name", FAMILY)
def test_single_frames_in_numpy_have_the_logits_and_outputs_of_the_equations(name, constant, monkeypatch):
    monkeypatch.setattr(stepping, "ROOM", 2)  # so that the room for recent states runs out on the way
    architecture = FAMILY[name]
    model, y = random_model(architecture), random_side(architecture, 1 if constant else TIME)
    v, hs, outputs = any_path(model, architecture, y)
    ys = np.broadcast_to(y, (TIME, architecture.side))
    logits, found = stepped(Stepper(model.network), ys, v, hs)
    np.testing.assert_allclose(np.stack(found, axis=1), outputs, rtol=1e-4, atol=1e-4)
    expected = settled_logits(model, v, hs, y)
    for t, heard in enumerate(logits):
        for layer, z in heard.items():
            np.testing.assert_allclose(z, expected[layer][t], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["deep fctsbn", "tsbn of order 3"])
def test_single_frames_go_on_from_recent_steps(name):
    architecture = FAMILY[name]
    model, y = random_model(architecture), random_side(architecture, TIME)
    v, hs, outputs = any_path(model, architecture, y)
    start, order = 3, architecture.order
    recent = Recent(v[start - order : start], tuple(h[start - order : start] for h in hs))
    _, found = stepped(Stepper(model.network, recent), y[start:], v[start:], [h[start:] for h in hs])
    np.testing.assert_allclose(np.stack(found, axis=1), np.array(outputs)[:, start:], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("constant", [False, True])
@pytest.mark.parametrize("name", ["ctsbn", "fctsbn", "hidden Markov fctsbn", "deterministic middle layers", "wide"])
def test_a_network_made_ready_for_walking_is_the_same_network(name, constant):
    """`wide` has so few factors that they are kept even where side information is constant."""
    architecture = FAMILY.get(name, Architecture(visible=3, side=2, hidden=(4,), order=2, factors=1))
    model, y = random_model(architecture), random_side(architecture, 1 if constant else TIME)
    v, hs, outputs = any_path(model, architecture, y)
    network, left = ready(model.network, y)
    assert left.shape == ((1, 1) if constant else y.shape)
    memory, found = network.blank(), []
    for t in range(TIME):
        y_t = left[0 if constant else t]
        past = network.recall(memory, y_t)
        states = network.descend(past, y_t, lambda layer, _, t=t: jax.numpy.asarray(hs[layer][t], "float32"))
        found.append(network.outputs(past, states[0], y_t))
        memory = network.remember(memory, jax.numpy.asarray(v[t]), states)
    np.testing.assert_allclose(np.stack(found, axis=1), outputs, rtol=1e-4, atol=1e-4)


def test_streamed_binary_frames_come_as_often_as_enumeration_says():
    architecture = dataclasses.replace(FAMILY["deep ctsbn"], order=2)
    model, y = random_model(architecture), np.asarray(random_side(architecture, 2))
    _, chances = binary_sequences(model, y, time=2)
    source, codes = FrameSource(model.network, random=np.random.default_rng(0)), []
    for _ in range(2500):
        source.stepper.frames = Trail(np.zeros((2, 2)))
        source.stepper.states = [Trail(np.zeros((2, 2))) for _ in range(2)]
        frames = np.concatenate([source.frame(y_t) for y_t in y])
        codes.append(int(frames @ 2.0 ** np.arange(4)[::-1]))
    assert_frequencies(codes, chances)


@pytest.mark.parametrize("name", ["tsbn", "binary tsbn", "counts fctsbn"])
def test_numpy_frames_have_the_moments_of_their_observation(name):
    observation = random_model(FAMILY[name]).network.observation
    random = np.random.default_rng(0)
    outputs = [random.standard_normal(3).astype(np.float32) for _ in range(observation.heads)]
    centre, variance = moments(observation, outputs)
    found = np.stack([drawn(observation, outputs, random) for _ in range(20_000)])
    np.testing.assert_allclose(mean(observation, outputs), centre, rtol=1e-5)
    assert_mean(found, centre)
    assert_mean((found - centre) ** 2, variance)


def test_numpy_frames_have_the_tails_of_students_t():
    random = np.random.default_rng(0)
    outputs = [np.full(40_000, 0.5, np.float32), np.full(40_000, -1.0, np.float32)]
    scale = np.exp(0.5 * Student().log_variance(outputs))
    expected = stats.t(3, 0.5, np.asarray(scale)[0])
    assert stats.kstest(drawn(Student(), outputs, random), expected.cdf).pvalue > 0.001


@pytest.mark.parametrize("name", ["fctsbn", "deep ctsbn", "deterministic middle layers", "counts fctsbn"])
def test_without_randomness_the_stream_and_the_compiled_walk_agree_frame_by_frame(name):
    """At temperature 0 with mean frames nothing is drawn: there is one sequence, and both find it."""
    architecture = FAMILY[name]
    model, y = random_model(architecture), random_side(architecture, TIME)
    still = Choices("mean", temperature=0)
    recent = recent_after(model, random_piece(architecture, 3), jax.random.key(0))
    walked = generate(model.network, y, jax.random.key(1), recent, choices=still).v
    source = FrameSource(model.network, recent, random=np.random.default_rng(2), choices=still)
    np.testing.assert_allclose(np.stack([source.frame(np.asarray(y_t)) for y_t in y]), walked, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("temperature", [0.5, 1.0])
@pytest.mark.parametrize("name", ["fctsbn", "binary tsbn", "counts fctsbn"])
def test_the_stream_and_the_compiled_walk_expect_the_same_next_frame(name, temperature):
    """With one layer the expected next frame depends on nothing that is drawn."""
    architecture = FAMILY[name]
    model, y = random_model(architecture), random_side(architecture, 1)
    choices = Choices("expected", temperature)
    recent = recent_after(model, random_piece(architecture, 3), jax.random.key(0))
    walked = generate(model.network, y, jax.random.key(1), recent, length=1, choices=choices).v[0]
    source = FrameSource(model.network, recent, random=np.random.default_rng(2), choices=choices)
    np.testing.assert_allclose(source.frame(np.asarray(y[0])), walked, rtol=1e-3, atol=1e-4)
