"""The model that a training starts from."""

import dataclasses

import equinox as eqx
from jaxtyping import PRNGKeyArray

from tsbn.estimators.linear_start import with_linear_start
from tsbn.estimators.training_data import TrainingData, with_first_biases
from tsbn.learning.recipe import Recipe
from tsbn.model.architecture import Architecture
from tsbn.model.build import Model, build
from tsbn.model.weights import silent


def first_model(architecture: Architecture, recipe: Recipe, data: TrainingData, key: PRNGKeyArray) -> Model:
    """A model of random weights, with what the recipe says is taken from the data or left out at first."""
    model = eqx.filter_jit(build)(architecture, key=key, scales=recipe.scales)
    if recipe.first_biases:
        model = with_first_biases(model, data, architecture.constant)
    if recipe.linear_start:
        model = with_linear_start(model, data, architecture.constant)
    return with_silent_start(model) if recipe.silent_start else model


def with_silent_start(model: Model) -> Model:
    """The model whose upper layers have no say in the ones below."""
    layers = tuple(
        layer if layer.W5 is None else dataclasses.replace(layer, W5=silent(layer.W5)) for layer in model.network.layers
    )
    return eqx.tree_at(lambda m: m.network.layers, model, layers)
