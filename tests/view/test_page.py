import base64
import json
import re
import zlib
from html.parser import HTMLParser

import numpy as np
import pytest
from scenes import walk

from tsbn.motion import walker
from tsbn.view import page_text, take, write_page


class Reader(HTMLParser):
    """What a browser would find: the tags, their attributes, the title and the data."""

    def __init__(self, text: str):
        super().__init__()
        self.tags, self.text, self.inside = [], {}, None
        self.feed(text)
        self.close()
        self.data = json.loads(self.text["data"])

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.inside = dict(attrs).get("id", tag)

    def handle_data(self, data):
        self.text[self.inside] = self.text.get(self.inside, "") + data

    def handle_endtag(self, tag):
        self.inside = None


def unpacked(told: dict) -> np.ndarray:
    """The positions, read the way the page reads them."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(told["places"])), np.uint8).reshape(4, -1)
    folded = sum(planes[n].astype(np.int64) << 8 * n for n in range(4))
    change = (folded >> 1) ^ -(folded & 1)
    whole = change.reshape(told["frames"], told["points"], 3).cumsum(axis=0).cumsum(axis=0)
    return whole * told["step"]


def test_the_page_holds_the_motion_to_half_a_millimetre_of_a_person():
    one = walk()
    (told,) = Reader(page_text(one)).data["takes"]
    places = unpacked(told)
    assert np.abs(places[:, :-1] - one.places).max() < 0.5 / 4096 + 1e-9
    assert np.abs(places[:, -1] - one.centres()).max() < 0.5 / 4096 + 1e-9
    assert told["bones"] == one.bones.tolist()


def test_the_page_holds_the_styles():
    one = walk()
    data = Reader(page_text(one)).data
    (told,) = data["takes"]
    shares = np.frombuffer(zlib.decompress(base64.b64decode(told["side"])), np.uint8).reshape(60, -1) / 255
    assert told["labels"] == ["normal", "old man", "cat", "strong"]
    assert np.abs(shares - one.side).max() <= 0.5 / 255 + 1e-6
    assert set(data["colours"]) == set(told["labels"])


def test_motions_far_from_the_origin_and_very_large_keep_their_shape():
    far = walker(frames=20)
    far.translation[:, 0] += 1e5
    (told,) = Reader(page_text(take(far))).data["takes"]
    assert np.abs(unpacked(told)[:, :-1] - take(far).places).max() < 1e-3


def test_nothing_is_fetched_from_anywhere():
    text = page_text([walk(), walker("cat", frames=9)])
    assert not re.search(r"https?:|//\w+\.\w|@import|url\(|fetch\(|XMLHttpRequest|import\(", text)
    for tag, attrs in Reader(text).tags:
        assert not {"src", "href"} & set(attrs), f"<{tag}> asks for another file"


def test_names_cannot_break_out_of_the_page():
    evil = "</script><script>alert(1)</script><!--"
    read = Reader(page_text(take(walker(frames=3), styles=evil, title=evil), title=evil))
    assert sum(tag == "script" for tag, _ in read.tags) == 2
    assert read.data["takes"][0]["title"] == evil
    assert read.data["takes"][0]["labels"] == [evil]


def test_a_minute_of_motion_is_a_small_file(tmp_path):
    write_page(walker("drunk", frames=1800), tmp_path / "walk.html")
    assert (tmp_path / "walk.html").stat().st_size < 250_000


def test_the_same_motions_make_the_same_page():
    assert page_text([walk(), walk()]) == page_text([walk(), walk()])


def test_an_existing_page_is_kept_unless_asked(tmp_path):
    path = tmp_path / "walk.html"
    write_page(walker(frames=3), path)
    with pytest.raises(FileExistsError, match="overwrite=True"):
        write_page(walker(frames=4), path)
    assert Reader(path.read_text(encoding="utf-8")).data["takes"][0]["frames"] == 3
