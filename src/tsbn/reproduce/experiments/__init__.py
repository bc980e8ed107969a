"""The experiments by name."""

from tsbn.reproduce.experiments import (
    balls,
    classify,
    mocap2,
    mocap10,
    mocap10_generate,
    music,
    semi_generate,
    text,
    weather,
)

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        mocap2.EXPERIMENT,
        mocap10.EXPERIMENT,
        mocap10_generate.EXPERIMENT,
        classify.EXPERIMENT,
        semi_generate.EXPERIMENT,
        weather.EXPERIMENT,
        balls.EXPERIMENT,  # has the longest job, which others can be run beside
        music.EXPERIMENT,
        text.EXPERIMENT,
    )
}
