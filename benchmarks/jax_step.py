"""The library's own training step, timed."""

from configurations import Configuration


def jax_frames_per_second(configuration: Configuration) -> float:
    """Frames per second the library trains on `draw_batch(configuration)`: NVIL, RMSprop, float32.

    Called once a round, several times for every configuration: keep what is compiled (a configuration is
    hashable), compile outside the time taken, block until the device is done, stay within about a second.
    """
    raise NotImplementedError(configuration.name)
