"""Subjects of the CMU motion capture database: homes, terms, checksums, and their trials as motions."""

from __future__ import annotations

from collections.abc import Iterable

from tsbn.data.download import RemoteFile, fetch
from tsbn.motion import Motion, read_amc, read_asf, resample

HOME = "http://mocap.cs.cmu.edu"
TERMS = (
    "Free for all uses, may be part of a product, not to be resold as data. They ask for this line: "
    '"The data used in this project was obtained from mocap.cs.cmu.edu. '
    'The database was created with funding from NSF EIA-0196217."'
)
CITATION = "Carnegie Mellon University Graphics Lab Motion Capture Database, mocap.cs.cmu.edu"

_SHA256 = {
    "35.asf": "9b4888836cbd13cdab14a86c53a6b7765ccae48ddc7075d8c5e03ac34bc08364",
    "35_01.amc": "efe882ca211915da0c70d7a1ac565660c75e373171f64e199ede283b921850d3",
    "35_02.amc": "d6fefd28756a979418b7bc09b6dc1020f3dc372f4c35e382d55026c74941e473",
    "35_03.amc": "5f7fc7ede6fdd70ac312f0449e49cf4c8d0878ad31246b9e455a0420450d1761",
    "35_04.amc": "c0ea194c1c7cc1807ff6c94212dd702777f8c96fdbc59656c5df7eded3009f1c",
    "35_05.amc": "8421013452f0e904c8a31778a690cc76c4aa50a304ea927e7381d79c5958d435",
    "35_06.amc": "b13b76a376129b460eae3d62b79d06a704663eec34123c9a61e0dad2775aa910",
    "35_07.amc": "315f9ee6eefa2b54c380b1992034ab825f58f799084ed7680a4e2213e3846823",
    "35_08.amc": "29fd9b64748295a5263f3fc69fb9c1c09ad828027569a79c39f0ef080c37d05e",
    "35_09.amc": "43d92cd4d4397f996a40037955597334b04b6c09c0ad9288ef12f7ebb3bac5fc",
    "35_10.amc": "d2948eb337fc2c395616881ad4d612780242e2923558774893b3db43a3ea8d62",
    "35_11.amc": "15541226c2aae03a287f39ad70a21480df0e523f2c040838e76bb12b6e539349",
    "35_12.amc": "eb6d224e450d0c4e4ec502edd7b671fa0f5119305b2c0105575cdeb48d53d84e",
    "35_13.amc": "fe5572cce38f4bd4046b0f5d72741c351a8cfa7cf88b428feb85c56dc1130587",
    "35_14.amc": "f3c584811a8370d8d627f6354706402931f7a599f3620a5abb26305aefd77432",
    "35_15.amc": "cb50bf7c31fdfb4a0903ab64d91807aff775a483a028bdb0773af7752354d9fa",
    "35_16.amc": "240e8d077d3be8e340bee6c465c59ed7320e53e4e529fd674fe7335e6d2c52af",
    "35_17.amc": "eda4ff3a7c23c788ac791b1bb0483ed2142a441415fb5b89194e7f40e0f13fff",
    "35_18.amc": "3cbe5a6f5dacd80952390bb726db63286bcc643d7262788ddb8b1d553aab891c",
    "35_19.amc": "dea62e47d3cec0f00c859d243beae6d823a0d185e6c850224eb3a36fb58873a5",
    "35_20.amc": "06ac44f2bfcf78d961c5148d675b1b440401ed05234b10f1451236f4519febb5",
    "35_21.amc": "547d6e564ec97f931fa6c52724265e8369fc35b13ab62004be3c8332a401005e",
    "35_22.amc": "9f35618d12fa9f67f4800179a5e12b2cfc6265b06e5df82da7c8357e3df74d51",
    "35_23.amc": "531957d439910f0ca1ab45fbd79f8b89955d2fde02cc3a3986604db5052db570",
    "35_24.amc": "3e4861899b0756fa48de10b0d734691a2c8f04723b22a8ac7dec76e971e5de76",
    "35_25.amc": "014030dc0fcaa842cd2156c95afa742e3092360125bcfbbdc0be0b6dcb6a6601",
    "35_26.amc": "6b97ef5b4410c5ef95cce8838561f60f03d7818abbb6ab3b2f673011642906a0",
    "35_28.amc": "e91c989fc8adbb2eff59e3e86f37ef114e82591e5961f22ea1eb0b9682a96ca6",
    "35_29.amc": "48eb5a400085c6477698038767fa907d1f67b7ddd4e51c05366dae15cccd6ce5",
    "35_30.amc": "6c34a093f1df7e5255352972e12e2648a7e50cc9261fe73183e9e77bd0ab326e",
    "35_31.amc": "2b412cbd23c326d36f86ad86d41f500f4b3808f32fedad1b03b4652ea25efb80",
    "35_32.amc": "6939e377574486c7ca2939f3f424fcf4cfac5f6ad28eeb71933e52b052bb19bc",
    "35_33.amc": "d53fbc9c99944ad9cf36b7d6fafea029c7d7fa3b71fc70492248e7494eabaab1",
    "35_34.amc": "484ee3fe1ca9a984c4363484972d3114c675a9207a5119aeebd6d7235038a421",
    "137.asf": "9358fbe5dab25fea6bca49969511e597e1a34e3412140a260a115110fd249eb5",
    "137_04.amc": "0c049d4ccdcd466e75767f5e459dffa6367297628ef617fe46f5ec2b7c16f3f6",
    "137_08.amc": "b3165ae6d7562c7d7e8aaf64e981498c7579e49299993b5ec9646a8287525070",
    "137_12.amc": "c57f580292580ec34092978db2024f93dbdf39e1f9f440e0f63069392d96282e",
    "137_16.amc": "3d7d862e267dab1b5352b6b72498b95436c27549aefee7921ccc781926c94312",
    "137_20.amc": "a01683ec02ae199207b3f4d8b89985260b5241634a3d546c0bbe3ac11c0cb499",
    "137_24.amc": "99ee7a864ec03af769f79c6fc18ca016c772ad960bbcd9b9a8c7829d4fcea9af",
    "137_29.amc": "5c28b73af6271f329d495b5aaf0d4e94889e070d004a6ee13de25e2b4a449fe6",
    "137_33.amc": "088f625991c9cd8625f38683dad6001bf9b4a97c5d651ea53768cb69da9e6ff4",
    "137_38.amc": "035a141db92c95034c33bd10a6935194b4910c5333a8f26099340a8846ed6946",
    "137_42.amc": "117f8474a83bb15aa3560db84f426e04d2e05dcc7d5ace98278610e0548e4361",
}


def subject_files(subject: int) -> tuple[RemoteFile, ...]:
    """The skeleton (first) and the trials of a subject, in order."""
    return tuple(
        RemoteFile(f"cmu/{subject:03d}/{name}", sha256, (f"{HOME}/subjects/{subject:02d}/{name}",))
        for name, sha256 in _SHA256.items()
        if name.startswith((f"{subject:02d}.", f"{subject:02d}_"))
    )


def subject_motions(subject: int, trials: Iterable[int], frame_rate: float) -> list[Motion]:
    """Trials of a subject, recorded at 120 frames a second, resampled."""
    files = {file.path.rsplit("/", 1)[1]: file for file in subject_files(subject)}
    wanted = [f"{subject:02d}.asf", *(f"{subject:02d}_{trial:02d}.amc" for trial in trials)]
    skeleton, *paths = fetch([files[name] for name in wanted])
    asf = read_asf(skeleton)
    return [resample(read_amc(asf, path), frame_rate) for path in paths]
