"""Every data set knows where it comes from, and answers to its name."""

import re

import pytest

from tsbn import datasets
from tsbn.data.download import check

FETCHED = [name for name in datasets.names() if datasets.about(name).files]


@pytest.mark.parametrize("name", datasets.names())
def test_every_data_set_tells_its_home_terms_and_files(name):
    known = datasets.about(name)
    assert known.name == name
    assert known.home
    assert known.terms
    assert known.summary
    for file in known.files:
        assert known.citation
        assert re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert all(url.startswith(("https://", "http://")) for url in file.urls)
        assert not file.path.startswith("/")


def test_no_two_files_share_a_path_or_a_checksum():
    files = {file for name in datasets.names() for file in datasets.about(name).files}
    assert len({file.path for file in files}) == len({file.sha256 for file in files}) == len(files)


@pytest.mark.parametrize("name", FETCHED)
def test_the_checksums_are_those_of_the_real_files(real_data, name):
    assert {check(file) for file in datasets.about(name).files} == {"ok"}


def test_a_wrong_name_is_answered_with_the_nearest():
    with pytest.raises(ValueError, match="no data set 'wether': did you mean 'weather'"):
        datasets.load("wether")
    with pytest.raises(ValueError, match="known are mocap2"):
        datasets.load("zzz")


def test_a_wrong_option_is_answered_with_the_nearest():
    with pytest.raises(TypeError, match="'weather' has no option 'gird': did you mean 'grid'"):
        datasets.load("weather", gird=1)
    with pytest.raises(TypeError, match="'jsb' has no option 'x': it takes none"):
        datasets.load("jsb", x=1)
