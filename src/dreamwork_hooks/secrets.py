"""Masking what is likely a secret in text that is about to be written down. When in doubt it masks.

The rules are facts taken over from detect-secrets 1.5 (token shapes, the words that name a secret, its entropy limits)
and from the prefixes that issuers of tokens publish. The library itself cannot run here: it is regular expressions, and
importing `re` costs an event more than all the rest of its work. A test runs it beside this module and holds that
whatever it finds is masked here.
"""

from __future__ import annotations

from math import log2

MASK = "***"
# Entropy in bits a character above which detect-secrets calls a string a secret.
BASE64_LIMIT = 4.5
HEX_LIMIT = 3.0
SHORTEST = 20  # characters of a string that is judged by its entropy
# A random string of n characters cannot reach log2(n), and below 32 characters hardly 4.5: one with digits and letters
# of both cases is judged by what is possible for its length.
_SHARE_OF_POSSIBLE = 0.9

# prefix -> the fewest characters that follow it
PREFIXES = (
    ("AKIA", 16),
    ("ASIA", 16),
    ("ABIA", 16),
    ("ACCA", 16),
    ("A3T", 17),
    ("ghp_", 20),
    ("gho_", 20),
    ("ghu_", 20),
    ("ghs_", 20),
    ("ghr_", 20),
    ("github_pat_", 20),
    ("glpat-", 20),
    ("gldt-", 20),
    ("glft-", 20),
    ("glsoat-", 20),
    ("glrt-", 20),
    ("glcbt-", 20),
    ("glptt-", 20),
    ("xoxa-", 8),
    ("xoxb-", 8),
    ("xoxe-", 8),
    ("xoxo-", 8),
    ("xoxp-", 8),
    ("xoxr-", 8),
    ("xoxs-", 8),
    ("xapp-", 8),
    ("sk-", 20),
    ("sk_live_", 16),
    ("sk_test_", 16),
    ("rk_live_", 16),
    ("rk_test_", 16),
    ("whsec_", 16),
    ("AIza", 30),
    ("ya29.", 20),
    ("GOCSPX-", 20),
    ("npm_", 30),
    ("pypi-", 30),
    ("dckr_pat_", 20),
    ("hf_", 30),
    ("SG.", 40),
    ("sq0csp-", 20),
    ("sq0atp-", 20),
    ("shpat_", 20),
    ("shpca_", 20),
    ("shppa_", 20),
    ("shpss_", 20),
    ("dop_v1_", 30),
    ("doo_v1_", 30),
    ("dor_v1_", 30),
    ("hvs.", 20),
    ("hvb.", 20),
    ("hvr.", 20),
    ("glsa_", 20),
    ("lin_api_", 20),
    ("ATATT3", 20),
    ("ATCTT3", 20),
    ("PMAK-", 20),
    ("rubygems_", 30),
    ("sntrys_", 20),
    ("sntryu_", 20),
    ("nvapi-", 20),
    ("gsk_", 20),
    ("r8_", 30),
    ("tskey-", 10),
    ("AGE-SECRET-KEY-", 20),
    ("figd_", 20),
    ("dapi", 32),
    ("AKC", 10),
    ("eyJ", 30),
)

# What a name holds, without its `-` and `_`, when its value is a secret.
_NAMING = (
    "apikey",
    "authkey",
    "servicekey",
    "accountkey",
    "accesskey",
    "dbkey",
    "databasekey",
    "privkey",
    "privatekey",
    "clientkey",
    "signingkey",
    "encryptionkey",
    "dbpass",
    "databasepass",
    "keypass",
    "userpass",
    "password",
    "passwd",
    "passphrase",
    "pwd",
    "secret",
    "contraseña",
    "contrasena",
    "token",
    "credential",
    "authorization",
    "cookie",
)
# ... and how the name ends when it is not after all.
_NOT_NAMING = ("file", "path", "dir", "url", "uri", "stdin", "tokens", "type", "length", "limit", "count", "tokenizer")
_SCHEMES = ("basic", "bearer", "token", "digest", "apikey", "negotiate")
_ENDS_TOKEN = frozenset(" \t\r\n\"'`;|&()<>,{}[]=:?#!\\")
_ENDS_VALUE = frozenset(" \t\r\n\"'`;|&)")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
_HEX = frozenset("0123456789abcdefABCDEF")
_TAKES_ATTACHED = ("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "sshpass", "7z", "7za")
# option -> the programs (or their subcommands) whose next word is a secret then
_TAKES = {
    "-p": ("sshpass", "login", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "snowsql", "cqlsh"),
    "-P": ("zip", "unzip", "sqlcmd", "bcp", "ssh-keygen"),
    "-N": ("ssh-keygen",),
    "-a": ("redis-cli",),
    "-k": ("openssl",),
    "-w": ("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"),
}
_THEN_A_SECRET = (["vault", "login"], ["bw", "unlock"], ["rclone", "obscure"])
# What shows that a command is fed a secret: then what is echoed to it, or stands behind `<<<`, is one.
_FED = ("-stdin", "sudo -S", "chpasswd", "--stdin", "--with-token", "pass stdin")


def masked(text: str, random: bool = True) -> str:
    """`text`, most likely a shell command, with each likely secret as `***`.

    Args:
        random: whether a word that is random enough is one. Not so where hashes and long names are at home.
    """
    text = _without_private_keys(text)
    if "://" in text:
        text = _without_url_passwords(text)
    out: list[str] = []
    seen: list[str] = []  # the tokens so far: which program, which option
    end = len(text)
    at = 0
    fed = any(sign in text for sign in _FED)
    echoed = False  # whether what follows is echoed
    while at < end:
        if text[at] in _ENDS_TOKEN:
            if text[at] in "|;&\n":
                echoed = False
            out.append(text[at])
            at += 1
            continue
        start = at
        while at < end and text[at] not in _ENDS_TOKEN:
            at += 1
        token = text[start:at]
        if (
            is_secret(token, random)
            or _is_given_plainly(token, seen)
            or _is_bots(text, start, token, seen)
            or (fed and token[0] not in "-$" and (echoed or text[:start].rstrip(" '\"").endswith("<<<")))
        ):
            out.append(MASK)
            seen.append(MASK)
            continue
        out.append(token)
        echoed = echoed or token in ("echo", "printf")
        value = _value_of(text, at, token, seen)
        seen.append(token)
        if value is not None:
            first, last = value
            out.append(text[at:first])
            out.append(MASK)
            at = last
    return "".join(out)


def is_secret(token: str, random: bool = True) -> bool:
    """Whether one word is a secret by its look alone: a known token's prefix, or random as only a secret is."""
    return has_known_prefix(token) or (random and _is_random(token))


def has_known_prefix(token: str) -> bool:
    """Whether a word holds a token whose issuer gives it a prefix."""
    for prefix, fewest in PREFIXES:
        at = token.find(prefix)
        while at >= 0:
            rest = token[at + len(prefix) :]
            if (at == 0 or not token[at - 1].isalnum()) and _length_of_run(rest) >= fewest:
                return True
            at = token.find(prefix, at + 1)
    if len(token) == 34 and token[:2] in ("AC", "SK") and token[2:].isalnum() and token[2:].lower() == token[2:]:
        return True
    if token[:2] == "AP" and token[2:3] in _HEX and len(token) > 10 and token.isalnum():
        return any(char.isdigit() for char in token)
    return token[:1] in ("M", "N", "O") and [len(part) for part in token.split(".")][1:] == [6, 27]


def _length_of_run(text: str) -> int:
    length = 0
    for char in text:
        if not (char.isalnum() or char in "_-.%+/"):
            break
        length += 1
    return length


def entropy(text: str) -> float:
    """Shannon entropy in bits a character."""
    total = len(text)
    return -sum([n / total * log2(n / total) for n in [text.count(char) for char in set(text)]])


def _is_random(token: str) -> bool:
    if len(token) < SHORTEST:
        return False
    for run in _runs(token, _HEX):
        if any(char.isdigit() for char in run) and not run.isdigit() and entropy(run) > HEX_LIMIT:
            return True
    for run in _runs(token, _BASE64):
        if "/" not in run or not _is_path(token):
            if _is_base64_secret(run):
                return True
        elif any(_is_base64_secret(part) for part in run.split("/") if len(part) >= SHORTEST):
            return True
    return False


def _is_base64_secret(run: str) -> bool:
    bits = entropy(run)
    if bits > BASE64_LIMIT:
        return True
    mixed = run.lower() != run and run.upper() != run and any(char.isdigit() for char in run)
    return mixed and bits > _SHARE_OF_POSSIBLE * log2(len(run))


def _is_path(token: str) -> bool:
    """Whether a word with a slash is a file's name rather than base64, which has neither dots nor many slashes."""
    return token[0] in "/.~$-" or "." in token or token.count("/") > 3 or token.lower() == token


def _runs(token: str, alphabet: frozenset[str]) -> list[str]:
    found = []
    start = 0
    for at in range(len(token) + 1):
        if at == len(token) or token[at] not in alphabet:
            if at - start >= SHORTEST:
                found.append(token[start:at])
            start = at + 1
    return found


def _is_given_plainly(token: str, seen: list[str]) -> bool:
    """`sshpass -p X`, `docker login -p X`, `redis-cli -a X`, `mysql -pX`, `smbclient -U me%X`, `vault login X`."""
    option = seen[-1] if seen else ""
    if option in _TAKES and any(name in seen for name in _TAKES[option]):
        return True
    if option in ("-U", "--user") and "%" in token:
        return True
    if seen[-2:] in _THEN_A_SECRET and token[0] not in "-$":
        return True
    if "htpasswd" in seen and token[0] != "-":
        before = seen[seen.index("htpasswd") + 1 :]
        options = [word for word in before if word[0] == "-"]
        if any("b" in word for word in options):  # the password is an argument: the last, after the file and the user
            return len(before) - len(options) == (1 if any("n" in word for word in options) else 2)
    return token[:2] == "-p" and len(token) > 2 and any(name in seen for name in _TAKES_ATTACHED)


def _is_bots(text: str, start: int, token: str, seen: list[str]) -> bool:
    """A Telegram bot's token: 8 to 10 digits, a colon, 35 characters."""
    if len(token) != 35 or text[start - 1 : start] != ":" or not seen:
        return False
    digits = seen[-1].lower().removeprefix("bot").rpartition("/bot")[2] if seen[-1] else ""
    return digits.isdigit() and 8 <= len(digits) <= 10


def _value_of(text: str, at: int, name: str, seen: list[str]) -> tuple[int, int] | None:
    """Where the secret named by the word before `at` stands; None when there is none, or only a variable's name."""
    option = name.startswith("-")
    if (name in ("-u", "--user", "-U", "--proxy-user")) or (
        seen and seen[-1] in ("-u", "--user", "-U", "--proxy-user")
    ):
        return _password_after_colon(text, at) if not option else None
    if seen and seen[-1] == "-b" and "curl" in seen and text[at : at + 1] == "=":
        quote = text[at - len(name) - 1]
        last = text.find(quote if quote in "'\"" else " ", at)
        return (at + 1, last if last >= 0 else len(text))
    scheme = name.lower() in _SCHEMES and text[at : at + 1] == " "
    if not scheme and not _names_a_secret(name):
        return None
    first = at
    while text[first : first + 1] in ("'", '"', "`", "]", "\\"):
        first += 1
    spaces = first
    while text[first : first + 1] == " ":
        first += 1
    signs = first
    while text[first : first + 1] and text[first] in ":=!>":
        first += 1
    if first == signs and not ((option or scheme) and spaces < signs):
        return None
    while text[first : first + 1] == " ":
        first += 1
    while text[first : first + 1] in ("\\", "@"):
        first += 1
    quote = text[first : first + 1]
    if quote in ("'", '"', "`") and quote:
        first += 1
        last = text.find(quote, first)
        last = len(text) if last < 0 else last
    else:
        last = first
        while last < len(text) and text[last] not in _ENDS_VALUE:
            last += 1
    value = text[first:last]
    if not value or _is_variable(value):
        return None
    if value.split(" ")[0].lower() in _SCHEMES:  # `Authorization: Bearer X`: the word after is the secret
        at_secret = first + len(value.split(" ")[0])
        while text[at_secret : at_secret + 1] == " ":
            at_secret += 1
        first = at_secret
        last = max(last, first)
        while last < len(text) and text[last] not in _ENDS_VALUE:
            last += 1
        if first == last or _is_variable(text[first:last]):
            return None
    if scheme and last - first < 8:  # an English word after the word `token`
        return None
    if name.lower().endswith("pwd") and value[:1] in "/~.":
        return None
    return first, last


def _names_a_secret(name: str) -> bool:
    bare = "".join([char for char in name.lower() if char not in "-_."])
    if bare.endswith(_NOT_NAMING):
        return False
    if bare.endswith(("pass", "auth")):
        return True
    return any(word in bare for word in _NAMING)


def _password_after_colon(text: str, at: int) -> tuple[int, int] | None:
    if text[at : at + 1] != ":":
        return None
    first = last = at + 1
    while last < len(text) and text[last] not in _ENDS_VALUE:
        last += 1
    return None if first == last or _is_variable(text[first:last]) else (first, last)


def _is_variable(value: str) -> bool:
    """`$NAME`, `${NAME}`, `$(command)`: names where the secret is, without telling it."""
    if value[0] != "$":
        return False
    return value[1:].replace("_", "a").isalnum() or value[1:2] in ("{", "(")


def _without_private_keys(text: str) -> str:
    begin = text.find("-----BEGIN ")
    while begin >= 0:
        if "PRIVATE KEY" in text[begin : begin + 60]:
            end = text.find("-----END ", begin)
            close = text.find("-----", end + 9) if end >= 0 else -1
            text = text[:begin] + MASK + (text[close + 5 :] if close >= 0 else "")
        begin = text.find("-----BEGIN ", begin + 1)
    return text


def _without_url_passwords(text: str) -> str:
    at = text.find("://")
    while at >= 0:
        first = at + 3
        last = first
        while last < len(text) and text[last] not in " \t\r\n\"'`":
            last += 1
        user, sign, _ = text[first:last].rpartition("@")
        colon = user.find(":")
        if sign and colon >= 0 and not _is_variable(user[colon + 1 :] or "x"):
            text = text[: first + colon + 1] + MASK + text[first + len(user) :]
        at = text.find("://", first)
    return text
