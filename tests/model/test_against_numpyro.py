"""A factored model written a second time, in numpyro's language: the same log joint on every path."""

import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
from numpyro.infer.util import log_density

from cases import FAMILY, random_model, random_piece
from exact import table
from tsbn.inference.posterior import Draw
from tsbn.inference.terms import terms


def factored(weights, y, history):
    """Wa diag(Wb y) Wc x, with the frames or states of the last steps stacked into one long x, as the paper says."""
    Wc = jnp.concatenate(list(weights.Wc), axis=1)
    return weights.Wa @ jnp.diag(weights.Wb @ y) @ Wc @ jnp.concatenate(history)


def fctsbn(model, v, y):
    """The FCTSBN of order 2 with W2 and W2' as tensors; the recognition model's logits as `q0, q1, ...`."""
    layer, (mean, log_variance) = model.network.layers[0], model.network.heads
    proposal = model.recognition.layers[0]
    units, channels = layer.B.shape[0], v.shape[1]
    h_1, h_2, v_1, v_2 = jnp.zeros(units), jnp.zeros(units), jnp.zeros(channels), jnp.zeros(channels)
    for t in range(v.shape[0]):
        from_past = factored(layer.W1, y[t], [h_1, h_2]) + factored(layer.W3, y[t], [v_1, v_2])
        h = numpyro.sample(f"h{t}", dist.Bernoulli(logits=from_past + layer.B @ y[t]).to_event(1))

        def head(part, t=t, h=h, v_1=v_1, v_2=v_2):
            by_style = jnp.einsum("soi,s->oi", part.W2.W[0], y[t])
            return by_style @ h + factored(part.W4, y[t], [v_1, v_2]) + part.C @ y[t]

        spread = jnp.exp(6 * jnp.tanh(head(log_variance) / 12))
        numpyro.sample(f"v{t}", dist.Normal(head(mean), spread).to_event(1), obs=v[t])
        from_data = factored(proposal.U2, y[t], [v[t]]) + factored(proposal.U3, y[t], [v_1, v_2])
        numpyro.deterministic(f"q{t}", factored(proposal.U1, y[t], [h_1, h_2]) + from_data + proposal.D @ y[t])
        h_1, h_2, v_1, v_2 = h, h_1, v[t], v_1


def test_the_log_joint_is_that_of_the_model_written_in_numpyro():
    architecture = FAMILY["fctsbn"]
    model, piece = random_model(architecture), random_piece(architecture, time=3)
    hs = jnp.asarray(table(model, piece).hs[0], jnp.float32)

    # numpyro relies on promotion of types and ranks.
    with jax.numpy_dtype_promotion("standard"), jax.numpy_rank_promotion("allow"):

        @jax.jit
        @jax.vmap
        def theirs(h):
            states = {f"h{t}": h[t] for t in range(3)}
            log_joint, trace = log_density(fctsbn, (model, piece.v, piece.y), {}, states)
            log_q = sum(dist.Bernoulli(logits=trace[f"q{t}"]["value"]).to_event(1).log_prob(h[t]) for t in range(3))
            return log_joint, log_q

        log_joint, log_q = theirs(hs)
    ours = jax.jit(jax.vmap(lambda h: terms(model, piece, Draw((h,), piece.v))))(hs)
    np.testing.assert_allclose(jnp.sum(ours.likelihood + ours.prior[0], 1), log_joint, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(jnp.sum(ours.posterior[0], 1), log_q, rtol=1e-4, atol=1e-4)
    assert float(jnp.std(log_joint)) > 0.1, "the paths differ"
