"""What is masked as a likely secret, what is not, and that detect-secrets finds nothing more.

Every secret here is made as the test runs: none stands in this file for a scanner to find.
"""

from __future__ import annotations

import importlib
import random
import string
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.secrets import MASK, PREFIXES, masked

ALNUM = string.ascii_letters + string.digits


def some(length: int, alphabet: str = ALNUM, seed: int = 1) -> str:
    return "".join(random.Random(f"{seed}{length}{alphabet}").choices(alphabet, k=length))


COMMANDS = [
    ("export GITHUB_TOKEN={}", some(12)),
    ("PGPASSWORD={} psql -h db", "hunter2"),
    ("DB_PASSWORD='{}' ./run", "my pass phrase"),
    ('curl -H "Authorization: Bearer {}" https://x', some(10)),
    ('curl -H "Authorization: token {}" https://x', some(10)),
    ("curl -H 'X-Api-Key: {}' https://x", some(8)),
    ("curl -u me:{} https://x", "hunter2"),
    ("curl --user me:{} https://x", "hunter2"),
    ('curl -d \'{{"password": "{}", "n": 1}}\' https://x', "abc def"),
    ("git clone https://bob:{}@host/r.git", "s3cr@t/x"),
    ("psql postgres://u:{}@h/db", "pw"),
    ("mysql -u root -p{} db", "hunter2"),
    ("sshpass -p {} ssh h", "hunter2"),
    ("docker login -u x -p {} registry", "hunter2"),
    ("redis-cli -a {} ping", "hunter2"),
    ("./deploy --api-key {} now", some(9)),
    ("./deploy --client-secret={} now", some(9)),
    ("password := {}", "hunter2"),
    ("echo {} | docker login", some(40)),
    ("aws configure set key {}", some(40, ALNUM + "/+")),
    ("echo {}", some(32, "0123456789abcdef")),
    ("curl https://api.telegram.org/bot12345678:{}/getMe", some(35)),
    ("echo '-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----' > k", "abc\ndef"),
    ("echo '-----BEGIN PRIVATE KEY-----\n{}", "never closed"),
    ("Cookie: {}", "sid=1234abcd"),
    ("curl -b session={} https://x", "hunter2"),
    ("curl -b 'a={}' https://x", "hunter2; sid=hunter3"),
    ("openssl enc -aes256 -pass pass:{} -in f", "hunter2"),
    ("openssl enc -k {} -in f", "hunter2"),
    ("zip -P {} a.zip f", "hunter2"),
    ("7z x -p{} a.7z", "hunter2"),
    ("sshpass -p{} ssh h", "hunter2"),
    ("ldapsearch -x -w {} -b dc=x", "hunter2"),
    ("smbclient //h/s -U me%{}", "hunter2"),
    ("sqlcmd -S h -P {}", "hunter2"),
    ("mongosh -u a -p {}", "hunter2"),
    ("ssh-keygen -N '{}' -f k", "hunter2"),
    ("keytool -storepass {} -list", "hunter2"),
    ("REDISCLI_AUTH={} redis-cli", "hunter2"),
    ("vault login {}", "hunter2"),
    ("bw unlock {}", "hunter2"),
    ("rclone obscure {}", "hunter2"),
    ("htpasswd -b f user {}", "hunter2"),
    ("htpasswd -nb user {}", "hunter2"),
    ("sudo -S ls <<< {}", "hunter2"),
    ("echo '{}' | sudo -S ls", "hunter2"),
    ("echo {} | docker login --password-stdin", "hunter2"),
    ("printf 'user:{}' | chpasswd", "hunter2"),
]
LEFT_ALONE = [
    "pytest -q tests/unit/test_the_thing.py::test_one_thing_leads_to_another[case-17]",
    "cat /home/user/project/src/dreamwork_hooks/hooks/precompact.py",
    "cp src/Components/Widgets2/TestHelpers build/Components/Widgets2/TestHelpers",
    'curl -H "Authorization: token $GITHUB_TOKEN" -u "me:$PASSWORD" https://x',
    "psql postgres://u:${PW}@h/db; export TOKEN=$(cat token.txt)",
    "./run --max-tokens 4096 --token-file ~/.token --password-stdin",
    "mkdir -p build && ssh -p 22 host && docker run -p 80:80 image",
    "PWD=/tmp make token",
    "grep -rn password src/ | head",
    "git show 3f2a9c0d1e4b",
    "grep 'def test_the_summarizer_is_told_the_current_task_and_the_question_count'",
    "docker inspect 123e4567-e89b-12d3-a456-426614174000",
    "python -m token; echo the token is here",
    "kubectl get secret my-name",
    "sk-learn and AKIA and eyJ",
    "docker login --password-stdin < pw.txt; echo",
    "echo $PW | docker login --password-stdin",
    "cat <<< text | sort && curl -o b https://x && zip -r a.zip b",
    "vault login -method=oidc",
    "rsync -b a b; ls -k; wc -w f; head -c 5 f | grep -P x",
]


@pytest.mark.parametrize(("command", "secret"), COMMANDS)
def test_a_secret_is_masked_and_the_rest_stays(command: str, secret: str) -> None:
    shown = masked(command.format(secret))
    assert MASK in shown
    for part in secret.split():
        assert part not in shown
    first = command.partition("{}")[0].replace("{{", "{").partition("-----")[0].rstrip("'")
    assert shown.startswith(first.rpartition(" ")[0])


@pytest.mark.parametrize("command", LEFT_ALONE)
def test_what_is_no_secret_is_left_alone(command: str) -> None:
    assert masked(command) == command


@pytest.mark.parametrize(("prefix", "length"), PREFIXES)
@pytest.mark.parametrize("around", ["{}", "x={}", "'{}'", "https://h/{}/r", "a:{}", "--flag={}"])
def test_every_known_prefix_is_masked_wherever_it_stands(prefix: str, length: int, around: str) -> None:
    token = prefix + some(length, string.ascii_uppercase + string.digits)
    assert token not in masked(f"run {around.format(token)} now")


@given(st.text(max_size=300))
def test_any_text_is_masked_without_failing_and_masking_is_stable(text: str) -> None:
    once = masked(text)
    assert len(once) <= len(text) + 3 * len(text)
    assert isinstance(masked(once), str)


TOKENS = {
    "aws": "AKIA" + some(16, string.ascii_uppercase + string.digits),
    "github": "ghp_" + some(36),
    "gitlab": "glpat-" + some(20),
    "slack": "xoxb-" + some(12, string.digits) + "-" + some(24),
    "stripe": "sk_live_" + some(24),
    "openai": "sk-" + some(20) + "T3BlbkFJ" + some(20, seed=2),
    "pypi": "pypi-AgEIcHlwaS5vcmc" + some(80),
    "sendgrid": "SG." + some(22) + "." + some(43),
    "square": "sq0csp-" + some(43),
    "telegram": some(9, "123456789") + ":" + some(35),
    "twilio": "AC" + some(32, string.ascii_lowercase + string.digits),
    "mailchimp": some(32, "0123456789abcdef") + "-us12",
    "discord": "M" + some(23) + "." + some(6) + "." + some(27),
    "artifactory": "AKC" + some(12),
    "artifactory password": "APB1" + some(9),
    "azure": "AccountKey=" + some(86) + "==",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0." + some(43),
    "npm": "//registry.example/:_authToken=npm_" + some(36),
    "basic auth": "https://user:" + some(9) + "@host/x",
    "hex": some(40, "0123456789abcdef"),
    "base64": some(64, ALNUM + "+/"),
    "private key": "-----BEGIN OPENSSH PRIVATE KEY-----\n" + some(70),
    "cloudant": "cloudant_password=" + some(64, "0123456789abcdef"),
    "softlayer": "https://api.softlayer.com/soap/v3/" + some(64, "0123456789abcdef"),
    "keyword": "password = '" + some(7) + "'",
    "key": "api_key: " + some(7),
}
IN = ["{}", "export VALUE='{}'", 'curl -d "{}" https://x', "VALUE={} run", "run {} now"]


def found_by_the_library(line: str) -> Iterator[str]:
    scan: Any = importlib.import_module("detect_secrets.core.scan")
    settings: Any = importlib.import_module("detect_secrets.settings")
    with settings.default_settings():
        for found in scan.scan_line(line):
            if found.type != "Public IP (ipv4)":
                yield found.secret_value


@pytest.mark.parametrize("kind", TOKENS)
def test_whatever_detect_secrets_finds_is_masked(kind: str) -> None:
    token = TOKENS[kind]
    seen = 0
    for around in IN:
        command = around.format(token)
        for line in command.splitlines():
            for secret in found_by_the_library(line):
                # For some of its rules what it reports is only a prefix or a heading (`ghp`, `BEGIN ... KEY`).
                seen += 1
                body = token.partition("=")[2] if kind in ("azure", "npm", "cloudant") else token
                assert body not in masked(command), (secret, masked(command))
    assert seen, "the library finds nothing here, so this shows nothing"
