"""How a model is trained: gradient estimator, optimiser and its schedule, by name or by number."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, Literal, get_args

import equinox as eqx
import jax
import jax.numpy as jnp
import optax

from tsbn.arguments import number_within, one_of, whole_number, yes_or_no
from tsbn.learning.gradients.estimator import GradientEstimator
from tsbn.learning.gradients.flips import Flips
from tsbn.learning.gradients.foresight import Foresight
from tsbn.learning.gradients.later import ClosedForm, Later
from tsbn.learning.gradients.leave_one_out import LeaveOneOut
from tsbn.learning.gradients.multi_sample import MultiSample
from tsbn.learning.gradients.nvil import Nvil
from tsbn.learning.gradients.particle import Particle
from tsbn.learning.gradients.straight_through import StraightThrough
from tsbn.model.weights import DEFAULT_SCALES, PAPER_SCALES, Factored, InitialScales, WeightMap

GradientName = Literal["nvil", "later", "closed-form", "leave-one-out", "flips", "straight-through"]
Objective = Literal["elbo", "multi-sample", "particle"]
OptimiserName = Literal["adam", "rmsprop"]


@dataclasses.dataclass(frozen=True)
class Recipe:
    """All choices of a training run.

    - `steps` of `batch` windows of `window` frames; the validation bound is computed every `every` steps.
    - `objective` "elbo", whose gradient is estimated by `gradient` (docs/gradients.md), "multi-sample" or "particle";
      those two, and some estimators, take `chains` samples of each window.
    - `balanced`: windows of every style equally often.
    - `optimiser` "adam" or "rmsprop" (`decay` is its averaging constant) at `rate`, with cosine decay to zero if
      `anneal`, and gradients clipped to the norm `clip` part by part (0: not clipped).
    - `weight_decay`: share of every weight that is taken off at a step, times the rate. Biases and the gains of styles
      are left alone. It keeps a large model from learning few sequences by heart.
    - `warm_up`: share of the steps over which the weight of log p(h) - log q(h) rises from 0.01 to 1. It keeps hidden
      units from switching off before they have learnt anything.
    - `slips`: share of the past hidden units that the generative model sees flipped while it learns. Left to itself a
      model makes such mistakes, and must have learnt to recover from them; the bound in the history is that of
      training, with the slips, while validation has none.
    - `foresight`: weight of the log-probability of each frame as it is expected before it is seen, beside the bound
      (docs/gradients.md), for models that are to predict. The bound may be lower then; the best model on held-out
      frames is still the one with the best bound.
    - `even`: spread the windows of a batch evenly over the sequences, in their order, instead of drawing each by
      itself: every batch then holds the same shares of them.
    - `opening`: how many frames at the start of every sequence are given and not learnt; a model that will always be
      given some frames need not learn to begin from nothing.
    - `linear_start`: start the mean of real-valued frames at a linear autoregression of the model's order.
    - `silent_start`: upper layers begin without a say in the ones below, as if they were not there, and learn to have
      one. With deterministic middle layers the model then begins without any chance in it; one layer is as it is.
    - `patience`: how many validations without improvement end the training (0: never), once warmed up.
    """

    steps: int = 3000
    batch: int = 16
    window: int = 100
    every: int = 100
    gradient: GradientName = "straight-through"
    objective: Objective = "elbo"
    chains: int = 2
    optimiser: OptimiserName = "adam"
    rate: float = 3e-3
    decay: float = 0.9
    anneal: bool = True
    clip: float = 5.0
    weight_decay: float = 0.0
    warm_up: float = 0.5
    slips: float = 0.02
    foresight: float = 0.0
    patience: int = 0
    balanced: bool = False
    even: bool = False
    scales: InitialScales = DEFAULT_SCALES
    first_biases: bool = True
    opening: int = 0
    linear_start: bool = False
    silent_start: bool = False

    def __post_init__(self):
        checked(vars(self))
        self.estimator()  # which has demands of its own

    def estimator(self) -> GradientEstimator:
        """The gradient estimator of the objective, with foresight if it has any weight."""
        return Foresight(self._of_bound(), self.foresight) if self.foresight else self._of_bound()

    def _of_bound(self) -> GradientEstimator:
        match self.objective, self.gradient:
            case "multi-sample", _:
                return MultiSample(max(self.chains, 2))
            case "particle", _:
                return Particle(max(self.chains, 2))
            case "elbo", "nvil":
                return Nvil()
            case "elbo", "later":
                return Later()
            case "elbo", "closed-form":
                return ClosedForm()
            case "elbo", "leave-one-out":
                return LeaveOneOut(self.chains)
            case "elbo", "flips":
                return Flips(self.chains)
            case "elbo", "straight-through":
                return StraightThrough()

    def transformation(self) -> optax.GradientTransformation:
        """The optimiser."""
        rate = optax.cosine_decay_schedule(self.rate, self.steps) if self.anneal else self.rate
        clip = optax.stateless(partial(clip_parts, limit=self.clip)) if self.clip else optax.identity()
        match self.optimiser:
            case "adam":
                scale = optax.scale_by_adam()
            case "rmsprop":
                scale = optax.scale_by_rms(decay=self.decay)
        shrink = optax.add_decayed_weights(self.weight_decay, mask=only_weights)
        return optax.chain(clip, scale, shrink, optax.scale_by_learning_rate(rate))

    def warmth(self, step):
        """Weight of log p(h) - log q(h) at a step."""
        if not self.warm_up:
            return jnp.ones(())
        return jnp.clip(jnp.asarray(step, float) / (self.warm_up * self.steps), 0.01, 1.0)


RULES: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("steps", "batch", "window", "every", "chains"), whole_number),
    **dict.fromkeys(("patience", "opening"), partial(whole_number, least=0)),
    **dict.fromkeys(("balanced", "linear_start", "silent_start"), yes_or_no),
    **dict.fromkeys(
        ("weight_decay", "foresight"), partial(number_within, low=0, high=1e30, expected="a number from 0")
    ),
    "rate": partial(number_within, low=1e-30, high=1e30, expected="a positive learning rate"),
    "warm_up": partial(number_within, low=0, high=1, expected="a share of the steps from 0 to 1"),
    "slips": partial(number_within, low=0, high=0.5, expected="a share of the hidden units from 0 to 0.5"),
    "gradient": partial(one_of, known=get_args(GradientName)),
    "objective": partial(one_of, known=get_args(Objective)),
    "optimiser": partial(one_of, known=get_args(OptimiserName)),
}


def checked(choices: dict[str, Any]) -> dict[str, Any]:
    """The choices as plain numbers and known names, or an error that says which one cannot be."""
    return {name: RULES[name](name, value) if name in RULES else value for name, value in choices.items()}


def clip_parts(gradients: Any, _params: Any, limit: float) -> Any:
    """Clip the gradients of each part of the model, and of the baseline, to the same norm, each by itself.

    The recognition model's gradient is often a hundred times noisier; under a common norm it would throttle the others.
    """

    def clipped(part):
        square = sum((jnp.sum(jnp.square(gradient)) for gradient in jax.tree.leaves(part)), jnp.zeros(()))
        scale = jnp.minimum(1.0, limit / jnp.maximum(jnp.sqrt(square), 1e-9))
        return jax.tree.map(lambda gradient: scale * gradient, part)

    model, baseline = gradients
    return jax.tree.map(clipped, model, is_leaf=lambda node: node is not model), clipped(baseline)


def only_weights(trained: Any) -> Any:
    """True at the weights that may shrink: all but biases and the gains of styles."""

    def shrinks(node):
        if isinstance(node, Factored):
            return eqx.tree_at(lambda f: (f.Wa, f.Wb, f.Wc), node, (True, False, True))
        return jax.tree.map(lambda _: isinstance(node, WeightMap), node)

    return jax.tree.map(shrinks, trained, is_leaf=lambda node: isinstance(node, WeightMap))


PRESETS = {
    "default": Recipe(),
    "paper": Recipe(
        gradient="nvil",
        optimiser="rmsprop",
        rate=3e-3,
        decay=0.9,
        steps=4000,
        anneal=False,
        clip=0.0,
        warm_up=0.0,
        slips=0.0,
        scales=PAPER_SCALES,
        first_biases=False,
    ),
}


def recipe(preset: str, **choices) -> Recipe:
    """The named preset, with the given choices in place of its own."""
    return dataclasses.replace(PRESETS[one_of("preset", preset, PRESETS)], **checked(choices))
