"""What is masked as a likely secret, what is not, and that detect-secrets finds nothing more.

Every secret here is made as the test runs: none stands in this file for a scanner to find.
"""

from __future__ import annotations

import importlib
import json
import random
import re
import string
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dreamwork_hooks.evidence.gather import MAX_COMMAND
from dreamwork_hooks.host.recording import save_event
from dreamwork_hooks.secrets import MASK, PREFIXES, masked, shown

ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"


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
    ("export DB_PASS={}", "hunter2"),
    ("sshpass -p '{}' ssh h", "two words"),
    ('sshpass -p "{}" ssh h', "two words"),
    ("mysql -u root -p'{}' db", "two words"),
    ("gh secret set T --body {}", "hunter2"),
    ("gh secret set T --body='{}'", "two words"),
    ("gh secret set T -b '{}'", "two words"),
    ("echo {} | gh secret set T", "hunter2"),
    ("gh auth login --with-token <<< {}", "hunter2"),
    ("docker login -u x --password '{}'", "two words"),
    ("docker login -u x -p '{}'", "two words"),
    ("curl -u me:'{}' https://x", "two words"),
    ("curl -u 'me:{}' https://x", "two words"),
    ("curl -H 'PRIVATE-TOKEN: {}' https://x", "hunter2"),
    ("curl -H 'X-Vault-Token: {}' https://x", "hunter2"),
    ("curl -H 'Cookie: {}' https://x", "sid=1a2b; csrf=3c4d"),
    ("wget --user=me --password={} https://x", "hunter2"),
    ("kubectl create secret generic s --from-literal=k={}", "hunter2"),
    ("fly secrets set DATABASE={}", "hunter2"),
    ("heroku config:set ADMIN={}", "hunter2"),
    ("echo {} | wrangler secret put T", "hunter2"),
    ("aws ssm put-parameter --name n --value {} --type SecureString", "hunter2"),
    ("aws secretsmanager create-secret --name n --secret-string {}", "hunter2"),
    ("aws configure set aws_secret_access_key {}", "hunter2"),
    ("az keyvault secret set --vault-name v --name n --value '{}'", "two words"),
    ("npm config set //r.example/:_authToken {}", "hunter2"),
    ("git config --global user.token {}", "hunter2"),
    ("cargo login {}", "hunter2"),
    ("ngrok config add-authtoken {}", "hunter2"),
    ("twine upload -u me -p {} dist/*", "hunter2"),
    ("gpg --batch --passphrase '{}' -c f", "two words"),
    ("psql 'host=h password={}'", "hunter2"),
    ("redis-cli -u redis://:{}@h:6379", "hunter2"),
    ("mongosh 'mongodb+srv://u:{}@h/db'", "hunter2"),
    ("ansible-playbook -e 'ansible_password={}' x.yml", "hunter2"),
    ("openssl passwd -6 {}", "hunter2"),
    ("imapsync --password1 {} --host1 h", "hunter2"),
    ("curl https://hooks.slack.com/services/T0000/B0000/{}", some(24)),
    ("curl 'https://x.blob.core.windows.net/c?sig={}&se=1'", "a1b2c3"),
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
    f"git show {some(40, HEX)}",
    f"git diff {some(40, HEX)}..{some(40, HEX, 2)} -- a.py",
    f"commit {some(40, HEX)}\nAuthor: A",
    f"{some(40, HEX)} Say what failed\n{some(40, HEX, 2)}\trefs/heads/main",
    f"{some(64, HEX)}  dist/dreamwork-hooks.pyz",
    f"docker pull ghcr.io/a/b@sha256:{some(64, HEX)}",
    f"docker rmi {some(64, HEX)}",
    f"uses: actions/checkout@{some(40, HEX)}",
    f"curl -O https://github.com/a/b/commit/{some(40, HEX)}.patch",
    f'"integrity": "sha512-{some(86, ALNUM)}=="',
    f"pip install x --hash=sha256:{some(64, HEX)}",
    "pytest tests/test_token_parser.py::name",
    "pytest -k TestToken::test_expired tests/unit/test_password_rules.py:12",
    "src/auth/secret.rs:40: warning: unused",
    "cargo test auth_token::parse && ctest -R api_key::unset",
    "git config --global credential.helper store",
    "mysql -u root -p db < dump.sql",
    "gh pr create --title T --body text && gh issue list -b x",
    "aws ssm get-parameter --name n && helm set --value x",
    "kubectl create configmap c --from-file=k=path",
    "ssh -i ~/.ssh/id_ed25519 me@h 'uptime; df -h'",
    "npm run build -- --mode=production && tar czf a.tgz dist",
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


def recorded(command: str, directory: Path) -> str:
    event = {
        "hook_event_name": "PreToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "cwd": "/home/anna/w",
    }
    path = save_event(json.dumps(event).encode(), str(directory), home="/home/anna", env={})
    return str(json.loads(Path(path).read_bytes())["tool_input"]["command"])


@pytest.mark.parametrize(("command", "secret"), COMMANDS)
def test_a_recording_and_the_evidence_mask_alike(command: str, secret: str, tmp_path: Path) -> None:
    for said in (recorded(command.format(secret), tmp_path), shown(command.format(secret), MAX_COMMAND)):
        assert MASK in said
        assert not [part for part in secret.split() if part in said]


@pytest.mark.parametrize("command", LEFT_ALONE)
def test_a_recording_and_the_evidence_leave_ordinary_lines_alone(command: str, tmp_path: Path) -> None:
    # An id is numbered in a recording, whether or not it is anybody's.
    assert re.sub(r"[0-9a-f-]{36}", "ID", recorded(command, tmp_path)) == re.sub(r"[0-9a-f-]{36}", "ID", command)
    assert MASK not in shown(command, MAX_COMMAND)


def test_the_time_of_masking_grows_as_the_text() -> None:
    line = "htpasswd -b f u; curl --stdin -p 'x' -a y echo git secret set ssm login \n"
    masked(line)
    times = []
    for repeat in (500, 4000):
        begun = time.perf_counter()
        masked(line * repeat)
        times.append(time.perf_counter() - begun)
    assert times[1] < 40 * times[0]  # 64 times were it to grow as the square


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
