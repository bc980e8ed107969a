"""Downloads against a server of our own: verified, never half a file, one clear error for each failure."""

import hashlib
import io
import os
import socket
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tsbn.data.download import DownloadError, RemoteFile, check, data_folder, fetch, find

CONTENT = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(CONTENT).hexdigest()


def archive(kind: str) -> bytes:
    stream = io.BytesIO()
    if kind == "zip":
        with zipfile.ZipFile(stream, "w") as opened:
            opened.writestr("folder-1.2/data.bin", CONTENT)
    else:
        with tarfile.open(fileobj=stream, mode="w:gz") as opened:
            member = tarfile.TarInfo("folder-1.2/data.bin")
            member.size = len(CONTENT)
            opened.addfile(member, io.BytesIO(CONTENT))
    return stream.getvalue()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        pages = {"/whole": CONTENT, "/other": b"revised", "/zip": archive("zip"), "/tar": archive("tar")}
        self.server.asked.append(self.path)
        if self.path == "/cut" and "/cut" not in self.server.mended:
            self.send_response(200)
            self.send_header("Content-Length", str(len(CONTENT)))
            self.end_headers()
            self.wfile.write(CONTENT[:1000])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
        elif self.path in pages or self.path == "/cut":
            content = pages.get(self.path, CONTENT)
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)
        else:
            self.send_error(404)

    def log_message(self, format, *args):
        pass


@pytest.fixture
def server(tmp_path, monkeypatch):
    monkeypatch.delenv("TSBN_DATA", raising=False)
    monkeypatch.setenv("TSBN_CACHE", str(tmp_path / "cache"))
    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        running.asked, running.mended = [], set()
        thread = threading.Thread(target=running.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield running
        running.shutdown()
        thread.join()


def remote(server, *pages, **changes):
    urls = tuple(f"http://127.0.0.1:{server.server_port}/{page}" for page in pages)
    return RemoteFile(**{"path": "set/data.bin", "sha256": SHA256, "urls": urls} | changes)


def left_behind(tmp_path):
    return sorted(
        str(path.relative_to(tmp_path / "cache")) for path in (tmp_path / "cache").rglob("*") if path.is_file()
    )


def test_a_file_is_fetched_once(server, tmp_path):
    file = remote(server, "whole")
    assert check(file) == "missing"
    (path,) = fetch([file])
    assert path.read_bytes() == CONTENT
    assert check(file) == "ok"
    assert fetch([file]) == [path]
    assert server.asked == ["/whole"]
    assert left_behind(tmp_path) == ["set/data.bin"]


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("other", "has SHA-256 .* expected .*the file was not kept"),
        ("cut", "broke off before the file was complete"),
        ("nowhere", "404"),
    ],
    ids=["wrong checksum", "cut connection", "missing file"],
)
def test_a_failed_download_is_one_clear_error_and_leaves_nothing(server, tmp_path, page, message):
    file = remote(server, page)
    with pytest.raises(DownloadError, match=message) as caught:
        fetch([file])
    assert file.urls[0] in str(caught.value)
    assert "set/data.bin" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert left_behind(tmp_path) == []
    assert check(file) == "missing"


def test_no_network_is_one_clear_error_and_leaves_nothing(tmp_path, monkeypatch):
    monkeypatch.delenv("TSBN_DATA", raising=False)
    monkeypatch.setenv("TSBN_CACHE", str(tmp_path / "cache"))
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    file = RemoteFile("set/data.bin", SHA256, (f"http://127.0.0.1:{port}/whole",))
    with pytest.raises(DownloadError, match="could not be reached, is there a network"):
        fetch([file])
    assert left_behind(tmp_path) == []


def test_a_download_that_broke_off_starts_over(server, tmp_path):
    file = remote(server, "cut")
    with pytest.raises(DownloadError):
        fetch([file])
    server.mended.add("/cut")
    assert fetch([file])[0].read_bytes() == CONTENT
    assert left_behind(tmp_path) == ["set/data.bin"]


def test_what_a_killed_process_left_behind_is_removed_once_it_is_old(server, tmp_path):
    file = remote(server, "whole")
    find(file).parent.mkdir(parents=True)
    old, young = (find(file).with_name(f".data.bin.{age}") for age in ("old", "young"))
    for half in (old, young):
        half.write_bytes(b"half")
    os.utime(old, (0, 0))
    fetch([file])
    assert left_behind(tmp_path) == ["set/.data.bin.young", "set/data.bin"]


def test_a_second_home_is_tried_when_the_first_fails(server):
    assert fetch([remote(server, "nowhere", "other", "whole")])[0].read_bytes() == CONTENT
    assert server.asked == ["/nowhere", "/other", "/whole"]


def test_a_damaged_file_in_the_cache_is_fetched_again(server):
    file = remote(server, "whole")
    (path,) = fetch([file])
    path.write_bytes(CONTENT[:-1])
    assert check(file) == "damaged"
    fetch([file])
    assert check(file) == "ok"


def test_a_failure_leaves_the_old_file_as_it_was(server):
    file = remote(server, "cut")
    find(file).parent.mkdir(parents=True)
    find(file).write_bytes(b"old")
    with pytest.raises(DownloadError):
        fetch([file])
    assert find(file).read_bytes() == b"old"


def test_a_revised_file_is_kept_only_if_the_user_says_so(server):
    file = remote(server, "other")
    (path,) = fetch([file], accept_changed=True)
    assert path.read_bytes() == b"revised"
    assert check(file) == "changed"
    asked = list(server.asked)
    assert fetch([file]) == [path]
    assert server.asked == asked
    path.write_bytes(b"damaged since")
    assert check(file) == "damaged"


def test_a_revised_file_is_not_taken_while_another_home_has_the_right_one(server):
    file = remote(server, "other", "whole")
    assert fetch([file], accept_changed=True)[0].read_bytes() == CONTENT
    assert check(file) == "ok"


@pytest.mark.parametrize("kind", ["zip", "tar"])
def test_a_file_is_taken_out_of_its_archive(server, tmp_path, kind):
    assert fetch([remote(server, kind, member="data.bin")])[0].read_bytes() == CONTENT
    assert left_behind(tmp_path) == ["set/data.bin"]


@pytest.mark.parametrize("page", ["zip", "tar", "whole"])
def test_an_archive_without_the_file_is_named(server, tmp_path, page):
    with pytest.raises(DownloadError, match=r"is not an archive with absent\.txt in it"):
        fetch([remote(server, page, member="absent.txt")])
    assert left_behind(tmp_path) == []


def test_progress_is_shown_when_asked_for(server, capsys):
    fetch([remote(server, "whole")], progress=True)
    shown = capsys.readouterr()
    assert "data.bin" in shown.err
    assert shown.out == ""


def test_a_library_call_is_quiet_where_there_is_no_terminal(server, capsys):
    fetch([remote(server, "whole")])
    assert capsys.readouterr() == ("", "")


def test_the_users_folder_is_read_instead(server, tmp_path, monkeypatch):
    monkeypatch.setenv("TSBN_DATA", str(tmp_path))
    file = remote(server, "whole")
    with pytest.raises(FileNotFoundError, match="TSBN_DATA names"):
        fetch([file])
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "data.bin").write_bytes(CONTENT)
    assert fetch([file]) == [tmp_path / "set" / "data.bin"]
    assert check(file) == "ok"
    assert server.asked == []


def test_a_users_folder_that_is_none_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("TSBN_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(NotADirectoryError, match="TSBN_DATA is"):
        data_folder()
