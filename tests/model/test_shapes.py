"""Whatever the sizes, the terms of the bound are finite and have the shapes they should."""

import jax
import jax.numpy as jnp
from hypothesis import given, settings
from hypothesis import strategies as st

from cases import random_model, random_piece
from tsbn.inference.terms import batch_terms
from tsbn.model.architecture import Architecture


@settings(max_examples=6, deadline=None, derandomize=True)
@given(data=st.data())
def test_terms_are_finite_and_of_the_right_shape_for_any_size(data):
    def size(name, largest):
        return data.draw(st.integers(1, largest), label=name)

    time, batch, chains = size("time", 5), size("batch", 3), size("chains", 2)
    hidden = tuple(data.draw(st.lists(st.integers(1, 4), min_size=1, max_size=2), label="hidden"))
    architecture = Architecture(
        visible=size("visible", 4),
        side=size("side", 3),
        hidden=hidden,
        order=size("order", 7),
        observation=data.draw(st.sampled_from(["gaussian", "bernoulli", "counts"])),
        weights=data.draw(st.sampled_from(["shared", "tensor", "factored"])),
        factors=size("factors", 3),
        hidden_markov=data.draw(st.booleans(), label="hidden_markov"),
        deterministic=len(hidden) > 1 and data.draw(st.booleans(), label="deterministic"),
        future=data.draw(st.integers(0, 2), label="future"),
    )
    pieces = [random_piece(architecture, time, seed) for seed in range(batch)]
    stacked = jax.tree.map(lambda *xs: jnp.stack(xs), *pieces)
    missing = data.draw(st.booleans(), label="missing")
    if missing:
        stacked = stacked._replace(seen=jax.random.bernoulli(jax.random.key(1), 0.5, stacked.v.shape))
    evaluate = jax.jit(batch_terms, static_argnums=3)
    found = evaluate(random_model(architecture), stacked, jax.random.key(0), chains)
    assert found.bound.shape == found.likelihood.shape == (chains, batch, time)
    stochastic = hidden[-1:] if architecture.deterministic else hidden
    assert [h.shape for h in found.hs] == [(chains, batch, time, units) for units in stochastic]
    assert all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(found))
    assert all(bool(jnp.all((h == 0) | (h == 1))) for h in found.hs)
