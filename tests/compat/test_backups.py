"""Scheduled backups in a bucket of S3, with moto in place of the service: the server is killed,
its data is lost, and the last set brings back everything that was acknowledged before it."""

import base64
import json
import os
import re
import subprocess
import sys

import boto3
import pytest
import requests
from conftest import BINARY, Person, Server

# moto takes any credentials.
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "backup", "AWS_SECRET_ACCESS_KEY": "not a secret"}
# Larger than one part of an upload, and not compressible.
LARGE = 9 << 20


@pytest.fixture
def service():
    """A service of S3 with a bucket that is called `chat`."""
    moto = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "--host", "127.0.0.1", "--port", "0"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    for line in moto.stderr:
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            break
    url = found[0]
    client = boto3.client(
        "s3",
        endpoint_url=url,
        region_name="us-east-1",
        aws_access_key_id=CREDENTIALS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=CREDENTIALS["AWS_SECRET_ACCESS_KEY"],
    )
    client.create_bucket(Bucket="chat")
    yield url, client
    moto.kill()
    moto.wait()
    moto.stderr.close()


def tool(*arguments):
    kept = {name: value for name, value in os.environ.items() if not name.startswith("COTERIE_")}
    done = subprocess.run([BINARY, *arguments], env=kept | CREDENTIALS, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def last_set(data):
    try:
        return json.loads((data / "backups.json").read_text()).get("last", {}).get("name", "")
    except (FileNotFoundError, ValueError):
        return ""


def waits_for_later_sets(server, data):
    # The set that is being made may have begun before.
    for _ in range(2):
        before = last_set(data)
        while last_set(data) <= before:
            requests.get(f"{server.url}/health/live", timeout=120)
            assert server.process.poll() is None


@pytest.mark.parametrize("is_sealed", [False, True])
def test_restore_from_bucket_has_everything_acknowledged(service, tmp_path, monkeypatch, is_sealed):
    url, client = service
    for name, value in CREDENTIALS.items():
        monkeypatch.setenv(name, value)
    place = f"s3://chat/nightly?endpoint={url}&region=us-east-1"
    key = []
    if is_sealed:
        path = tmp_path / "backup.key"
        path.write_bytes(base64.b64encode(os.urandom(32)))
        key = ["--backup-key-file", str(path)]
    schedule = ["--backup-to", place, "--backup-every", "1s", "--backup-keep", "2", *key]
    server = Server(tmp_path / "data", "--rate-limit", "off", *schedule)
    ana = Person(server, "Ana")
    group = ana.posts("/groups", {"name": "Climbers"})["id"]
    sent = []
    for number in range(30):
        message = {"message": {"source_guid": f"guid-{number}", "text": f"rope {number}"}}
        sent.append(ana.posts(f"/groups/{group}/messages", message)["message"]["id"])
    content = os.urandom(LARGE)
    answer = requests.post(
        f"{server.url}/v3/conversations/{group}/files?name=ropes.bin",
        data=content,
        headers={"X-Access-Token": ana.token},
        timeout=120,
    )
    assert answer.status_code == 201, answer.text
    message = {"source_guid": "a file", "attachments": [answer.json()["response"]["file"]]}
    sent.append(ana.posts(f"/groups/{group}/messages", {"message": message})["message"]["id"])
    waits_for_later_sets(server, tmp_path / "data")
    server.ends()

    listed = client.list_objects_v2(Bucket="chat")["Contents"]
    assert all(it["Key"].startswith("nightly/") for it in listed)
    assert max(it["Size"] for it in listed) > LARGE
    code, told = tool("backup", "verify", place, *key)
    assert code == 0 and told.startswith("verified: "), told
    code, told = tool("restore", place, "--data-dir", str(tmp_path / "restored"), *key)
    assert code == 0, told
    code, told = tool("check", "--data-dir", str(tmp_path / "restored"))
    assert code == 0, told
    if is_sealed:
        code, told = tool("restore", place, "--data-dir", str(tmp_path / "locked"))
        assert code == 2 and "--backup-key-file" in told, told
    restored = Server(tmp_path / "restored", "--rate-limit", "off")
    ana.server = restored
    page = ana.gets(f"/groups/{group}/messages?limit=100")
    assert set(sent) <= {it["id"] for it in page["messages"]}
    restored.ends()


def test_wrong_bucket_is_reported(service, tmp_path):
    url, _ = service
    code, told = tool("backup", "verify", f"s3://other/x?endpoint={url}")
    assert code == 2 and "NoSuchBucket" in told, told
