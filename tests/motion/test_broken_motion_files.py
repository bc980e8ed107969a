"""Whatever is wrong with a file, one clear error names file and line, soon and without filling the memory."""

import random
import re
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tsbn.motion import MotionFileError, positions, read_amc, read_asf, read_bvh

BVH = """HIERARCHY
ROOT hip
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT knee
  {
    OFFSET 0 -1 0
    CHANNELS 3 Zrotation Yrotation Xrotation
    End Site
    {
      OFFSET 0 -1 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.033333
1 2 3 4 5 6 7 8 9
1 2 3 4 5 6 7 8 9
1 2 3 4 5 6 7 8 9
"""

ASF = """# a leg
:version 1.10
:units
  length 0.45
  angle deg
:root
  order TX TY TZ RX RY RZ
  axis XYZ
  position 0 0 0
  orientation 0 0 0
:bonedata
  begin
    name thigh
    direction 0 -1 0
    length 2
    axis 0 0 20 XYZ
    dof rx ry rz
    limits (-160 20)
           (-70 70)
           (-60 70)
  end
  begin
    name shin
    direction 0 -1 0
    length 2
    axis 0 0 20 XYZ
    dof rx
    limits (-10 170)
  end
:hierarchy
  begin
    root thigh
    thigh shin
  end
"""

AMC = """#!made up
:FULLY-SPECIFIED
:DEGREES
1
root 1 2 3 4 5 6
thigh 1 2 3
shin 4
2
root 1 2 3 4 5 6
thigh 1 2 3
shin 4
"""

TEXTS = {"bvh": BVH, "asf": ASF, "amc": AMC}


def read(kind: str, text: str | bytes, folder: Path):
    path = folder / f"file.{kind}"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    if kind == "bvh":
        return read_bvh(path)
    if kind == "asf":
        return read_asf(path)
    asf = folder / "leg.asf"
    asf.write_text(ASF)
    return read_amc(asf, path)


def test_the_whole_files_can_be_read(tmp_path):
    assert read("bvh", BVH, tmp_path).frames == 3
    assert read("asf", ASF, tmp_path).skeleton.names == ("root", "thigh", "shin")
    assert read("amc", AMC, tmp_path).frames == 2


@pytest.mark.parametrize("kind", TEXTS)
def test_windows_line_endings_make_no_difference(kind, tmp_path):
    plain = read(kind, TEXTS[kind], tmp_path)
    windows = read(kind, TEXTS[kind].replace("\n", "\r\n"), tmp_path)
    if kind == "asf":
        assert windows.skeleton.differences(plain.skeleton) == []
    else:
        assert (positions(windows) == positions(plain)).all()


BROKEN = [
    ("bvh", BVH[:60], 5, "CHANNELS"),
    ("bvh", BVH[:120], 6, "ends before MOTION"),
    ("bvh", "", 1, "ends before MOTION"),
    ("bvh", BVH.replace("Frames: 3", "Frames: 4"), 21, "ends after 3 frames, Frames: announced 4"),
    ("bvh", BVH.replace("Frames: 3", "Frames: 2"), 21, "more frames than the 2 announced"),
    ("bvh", BVH.replace("Frames: 3", "Frames: many"), 17, "'many', expected a whole number"),
    ("bvh", BVH.replace("Frames: 3\n", ""), 18, "expected Frames: and Frame Time:"),
    ("bvh", BVH.replace("0.033333", "0"), 18, "Frame Time: '0'"),
    ("bvh", BVH.replace("0.033333", "0,033333"), 18, "with a decimal point instead of a comma"),
    ("bvh", BVH.replace("7 8 9\n1", "7 nan 9\n1", 1), 19, "value 8 is 'nan', expected a finite number"),
    ("bvh", BVH[:-2] + "inf\n", 21, "value 9 is 'inf'"),
    ("bvh", BVH[:-2] + "\n", 21, "frame 3 has 8 values, the hierarchy has 9 channels"),
    ("bvh", BVH.replace("8 9\n1", "8\n1", 1).replace("8 9\n1", "8 9 9\n1", 1), 19, "frame 1 has 8 values"),
    ("bvh", BVH.replace("4 5 6", "4 5,5 6"), 19, "value 5 is '5,5'"),
    ("bvh", BVH.replace("OFFSET 0 -1 0", "OFFSET 0 -1,5 0", 1), 8, "OFFSET: value 2 is '-1,5'"),
    ("bvh", BVH.replace("    OFFSET 0 -1 0\n", "", 1), 13, "joint 'knee' has no OFFSET"),
    ("bvh", BVH.replace("    CHANNELS 3 Zrotation Yrotation Xrotation\n", ""), 13, "'knee' has no CHANNELS"),
    ("bvh", BVH.replace("      OFFSET 0 -1 0\n", ""), 12, "End Site needs exactly one OFFSET"),
    (
        "bvh",
        BVH.replace("CHANNELS 3 Zrotation", "CHANNELS 3"),
        9,
        "expected a count and as many channel names",
    ),
    ("bvh", BVH.replace("CHANNELS 3 Zrotation", "CHANNELS 3 Wrotation"), 9, "channel 'Wrotation'"),
    ("bvh", BVH.replace("CHANNELS 3 Zrotation", "CHANNELS 3 Xrotation"), 16, None),
    ("bvh", BVH.replace("CHANNELS 3 Zrotation Y", "CHANNELS 3 Xrotation X"), 9, "a channel is listed twice"),
    ("bvh", BVH.replace("JOINT knee", "JOINT hip"), 6, "joint 'hip' was already named on line 2"),
    ("bvh", BVH.replace("JOINT knee", "ROOT knee"), 6, "second ROOT"),
    ("bvh", BVH.replace("JOINT knee", "JOINT"), 6, "JOINT has no name"),
    ("bvh", BVH.replace("  }\n}\nMOTION", "}\nMOTION"), 15, "1 blocks still open at MOTION"),
    ("bvh", BVH.replace("}\nMOTION", "}\n}\nMOTION"), 16, "'}' does not belong here"),
    ("bvh", BVH.replace("  {\n    OFFSET", "    OFFSET", 1), 7, "expected '{'"),
    ("asf", ASF.replace("axis 0 0 20 XYZ", "axis 0 0 XYZ", 1), 16, "axis"),
    ("asf", ASF.replace("axis 0 0 20 XYZ", "axis 0 0 20 XXZ", 1), 16, "axis order is 'XXZ'"),
    ("asf", ASF.replace("direction 0 -1 0", "direction 0 -1,5 0", 1), 14, "decimal point"),
    ("asf", ASF.replace("dof rx ry rz", "dof rx ry l"), 17, "dof is 'rx ry l', expected some of rx ry rz"),
    ("asf", ASF.replace("           (-70 70)\n", ""), 20, "'thigh' has 2 limits, expected 3"),
    ("asf", ASF.replace("thigh shin", "thigh foot"), 33, "'foot' is not a bone"),
    ("asf", ASF.replace("thigh shin", "shin thigh"), 33, "parent 'shin' does not hang from the root"),
    ("asf", ASF.replace("    thigh shin\n", ""), 33, "bone 'shin' is missing from :hierarchy"),
    ("asf", ASF.replace("name shin", "name thigh"), 29, "'thigh', expected a name of its own"),
    ("asf", ASF.partition(":hierarchy")[0], 11, "the file has no :hierarchy"),
    ("asf", ASF.partition("    dof")[0], 12, "begin without end"),
    ("asf", ASF.replace("length 0.45", "length nan"), 4, "value 1 is 'nan'"),
    ("asf", ASF.replace("angle deg", "angle grad"), 5, "expected deg or rad"),
    ("asf", "nonsense\n", 1, "expected a section"),
    ("amc", AMC.replace("shin 4\n2", "shin nan\n2"), 7, "bone 'shin': value 1 is 'nan'"),
    ("amc", AMC.replace("shin 4\n2", "shin 4,5\n2"), 7, "with a decimal point instead of a comma"),
    ("amc", AMC.replace("shin 4\n2", "2"), 7, "frame 1 ends without bone 'shin'"),
    ("amc", AMC[:-7], 10, "frame 2 ends without bone 'shin'"),
    ("amc", AMC.replace("thigh 1 2 3", "thigh 1 2"), 6, "bone 'thigh' has 2 values, expected 3"),
    ("amc", AMC.replace("thigh 1 2 3\nshin 4\n2", "thigh 1 2\nshin 3 4\n2"), 6, "bone 'thigh' has 2 values"),
    ("amc", AMC.replace("\n2\n", "\n7\n"), 8, "frame 7 follows frame 1"),
    (
        "amc",
        AMC.replace("shin 4\n2", "foot 4\n2"),
        7,
        "'foot' is neither a frame number nor a bone that turns",
    ),
    ("amc", AMC.replace("shin 4\n2", "thigh 1 2 3\n2"), 7, "bone 'thigh' comes twice in frame 1"),
    ("amc", AMC.partition("1\n")[0], 4, "ends before its first frame"),
    ("amc", "", 1, "ends before its first frame"),
    ("amc", AMC.replace("\n1\n", "\none\n", 1), 4, "expected the number of the first frame, found 'one'"),
]


@pytest.mark.parametrize(("kind", "text", "line", "told"), BROKEN)
def test_a_broken_file_gives_one_error_with_file_and_line(kind, text, line, told, tmp_path):
    if told is None:
        # The first axis may return as the third: a proper Euler order, not a mistake.
        assert read(kind, text, tmp_path).skeleton.orders[1] == "XYX"
        return
    with pytest.raises(MotionFileError, match=re.escape(told)) as error:
        read(kind, text, tmp_path)
    assert str(error.value).startswith(f"{tmp_path / f'file.{kind}'}, line {line}: ")


def junk(size: int) -> dict[str, bytes]:
    noise = random.Random(0)
    nested = b"".join(b"JOINT j%d\n{\nOFFSET 0 0 0\nCHANNELS 0\n" % n for n in range(size // 40))
    return {
        "bytes": noise.randbytes(size),
        "letters without an end of line": b"x" * size,
        "numbers without an end of line": b"1 " * (size // 2),
        "empty lines": b"\n" * size,
        "opening braces": b"{" * size,
        "zeros": bytes(size),
        "deep nesting": b"HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 0\n" + nested,
        "junk instead of frames": BVH.partition("1 2 3")[0].encode() + b"x " * (size // 2),
        "junk after a frame": (AMC + "3\n").encode() + b"x " * (size // 2),
        "frames without an end": AMC.encode() + b"3\n" * (size // 2),
    }


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("name", junk(100))
def test_ten_megabytes_of_junk_are_refused_in_bounded_memory(kind, name, tmp_path):
    size = 10_000_000
    text = junk(size)[name]
    tracemalloc.start()
    try:
        with pytest.raises(MotionFileError, match=r", line \d+: ") as error:
            read(kind, text, tmp_path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(str(error.value)) < 500
    # A Python word costs some 40 bytes, and a word may be two bytes of the file.
    assert peak < 60 * size


def test_five_hundred_nested_joints_are_no_problem(tmp_path):
    depth = 500
    head = "HIERARCHY\nROOT j0\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\n"
    body = "".join(f"JOINT j{n}\n{{\nOFFSET 1 0 0\nCHANNELS 1 Zrotation\n" for n in range(1, depth))
    values = " ".join(["0"] * (depth + 2))
    motion = read("bvh", f"{head}{body}{'}' * depth}\nMOTION\nFrames: 1\nFrame Time: 1\n{values}\n", tmp_path)
    assert positions(motion)[0, -1].tolist() == [depth - 1, 0, 0]


@pytest.mark.parametrize("kind", TEXTS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_but_nothing_else(kind, data, tmp_path):
    text = bytearray(TEXTS[kind].encode())
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(start + 30, len(text))))
        text[start:end] = data.draw(
            st.one_of(st.binary(max_size=8), st.sampled_from([b"", b"\n", b"}", b"{", b" 1", b"-", b"nan", b"e9"]))
        )
    try:
        found = read(kind, bytes(text), tmp_path)
    except MotionFileError as error:
        assert 1 <= error.line <= max(1, bytes(text).count(b"\n") + bytes(text).count(b"\r") + 2)  # noqa: PT017
    else:
        skeleton = found.skeleton
        assert skeleton.joints >= 1
