"""Masking what is likely a secret in text that is about to be written down. When in doubt it masks.

The rules are facts taken over from detect-secrets 1.5 (token shapes, the words that name a secret, its entropy limits)
and from the prefixes that issuers of tokens publish. The library itself cannot run here: it is regular expressions, and
importing `re` costs an event more than all the rest of its work. A test runs it beside this module and holds that
whatever it finds is masked here.
"""

from __future__ import annotations

from math import log2

from dreamwork_hooks.quoting import one_line

MASK = "***"
# Entropy in bits a character above which detect-secrets calls a string a secret.
BASE64_LIMIT = 4.5
HEX_LIMIT = 3.0
SHORTEST = 20  # characters of a string that is judged by its entropy
# A random string of n characters cannot reach log2(n), and below 32 characters hardly 4.5: one with digits and letters
# of both cases is judged by what is possible for its length.
_SHARE_OF_POSSIBLE = 0.9

# the fewest characters that follow a prefix -> the prefixes
_PREFIXES = {
    8: "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-",
    10: "tskey- AKC",
    16: "AKIA ASIA ABIA ACCA sk_live_ sk_test_ rk_live_ rk_test_ whsec_",
    17: "A3T",
    20: "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_ glpat- gldt- glft- glsoat- glrt- glcbt- glptt- sk- ya29. "
    "GOCSPX- dckr_pat_ sq0csp- sq0atp- shpat_ shpca_ shppa_ shpss_ hvs. hvb. hvr. glsa_ lin_api_ ATATT3 "
    "ATCTT3 PMAK- sntrys_ sntryu_ nvapi- gsk_ pscale_ CCIPAT_ HRKU- fm2_ 1//0 hooks.slack.com/services/ "
    "AGE-SECRET-KEY- figd_",
    30: "AIza npm_ pypi- hf_ dop_v1_ doo_v1_ dor_v1_ rubygems_ ntn_ nfp_ sbp_ dp.pt. bkua_ pat-na1- pat-eu1- "
    "discord.com/api/webhooks/ r8_ eyJ",
    32: "dapi",
    40: "SG.",
}
PREFIXES = tuple([(prefix, fewest) for fewest in _PREFIXES for prefix in _PREFIXES[fewest].split()])

# What a name holds, without its `-` and `_`, when its value is a secret.
_NAMING = ("apikey", "authkey", "servicekey", "accountkey", "accesskey", "dbkey", "databasekey", "privkey",
           "privatekey", "clientkey", "signingkey", "encryptionkey", "dbpass", "databasepass", "keypass",
           "userpass", "password", "passwd", "passphrase", "pwd", "secret", "contraseña", "contrasena", "token",
           "credential", "authorization", "cookie")  # fmt: skip
# ... and how the name ends when it is not after all.
_NOT_NAMING = ("file", "path", "dir", "url", "uri", "stdin", "tokens", "type", "length", "limit", "count", "tokenizer",
               "helper", "store")  # fmt: skip
# A name that ends so is a file's, and what follows its colon a line or a test: `test_token_parser.py::name`.
_SOURCES = ("py", "pyi", "js", "ts", "tsx", "jsx", "go", "rs", "rb", "java", "kt", "c", "h", "cc", "cpp", "cs", "php",
            "sh", "md", "rst", "txt", "swift", "ex", "exs", "scala", "lua", "sql", "css", "html")  # fmt: skip
_SCHEMES = ("basic", "bearer", "token", "digest", "apikey", "negotiate")
_ENDS_TOKEN = frozenset(" \t\r\n\"'`;|&()<>,{}[]=:?#!\\")
_ENDS_VALUE = frozenset(" \t\r\n\"'`;|&)")
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/_-")
_HEX = frozenset("0123456789abcdefABCDEF")
_TAKES_ATTACHED = ("mysql", "mysqldump", "mysqladmin", "mysqlimport", "mariadb", "mariadb-dump", "sshpass", "7z", "7za")
# option -> the programs (or their subcommands) whose next word is a secret then
_TAKES = {
    "-p": ("sshpass", "login", "twine", "mongo", "mongosh", "mongodump", "mongorestore", "mongoexport", "snowsql",
           "cqlsh"),
    "-P": ("zip", "unzip", "sqlcmd", "bcp", "ssh-keygen"),
    "-N": ("ssh-keygen",),
    "-a": ("redis-cli",),
    "-k": ("openssl",),
    "-b": ("secret",),
    "--body": ("secret",),
    "--value": ("secret", "put-parameter"),
    "-1": ("passwd",),
    "-5": ("passwd",),
    "-6": ("passwd",),
    "-w": ("ldapsearch", "ldapadd", "ldapmodify", "ldapdelete", "ldapwhoami", "ldappasswd"),
}  # fmt: skip
_THEN_A_SECRET = (
    ["vault", "login"],
    ["bw", "unlock"],
    ["rclone", "obscure"],
    ["cargo", "login"],
    ["ngrok", "authtoken"],
    ["config", "add-authtoken"],
)
_SETS = ("set", "config", "configure", "--global", "--local")  # `aws configure set aws_secret_access_key X`
_SETTERS = ("aws", "git", "npm", "pip", "poetry", "gcloud", "composer", "yarn", "pnpm")
# How the name of a hash ends, and the programs whose words are hashes rather than secrets.
_NAMES_A_HASH = ("commit", "sha", "sha1", "sha256", "rev", "revision", "ref", "oid", "hash", "digest", "checksum",
                 "tree", "parent", "object", "head")  # fmt: skip
_TAKES_HASHES = ("git", "gh", "docker", "podman", "sha1sum", "sha256sum", "cosign", "skopeo", "crane")
_ALGORITHMS = ("md5", "sha1", "sha256", "sha384", "sha512")
# What shows that a command is fed a secret: then what is echoed to it, or stands behind `<<<`, is one.
_FED = ("-stdin", "sudo -S", "chpasswd", "--stdin", "--with-token", "pass stdin", "secret put", "secret set",
        "secrets set", "--data-file=-")  # fmt: skip
_LOOKED_AT = 4000  # characters that are searched for secrets; more cannot be shown
_REMEMBERED = 40  # words before this one that may say what it is


def shown(text: str, limit: int, random: bool = True) -> str:
    """`text` as it may be written down and said: one line of at most `limit` characters, likely secrets masked.

    Args:
        random: as for `masked`.
    """
    if len(text) > _LOOKED_AT:
        # What is cut in the middle no longer looks like the secret it is.
        head = text[:_LOOKED_AT]
        text = (head.rpartition(" ")[0] or head[: 2 * limit]) + " …"
    text = masked(text, random)
    if not text.isascii():  # nor does what has invisible characters inside
        text = masked(one_line(text, _LOOKED_AT), random)
    return one_line(text, limit)


def masked(text: str, random: bool = True) -> str:
    """`text`, most likely a shell command, with each likely secret as `***`. Its time grows as the text's length.

    Args:
        random: whether a word that is random enough is one. Not so where hashes and long names are at home.
    """
    text = _without_private_keys(text)
    if "://" in text:
        text = _without_url_passwords(text)
    out: list[str] = []
    seen: list[str] = []  # the words before this one: which program, which option
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
        if len(seen) > 2 * _REMEMBERED:
            del seen[:-_REMEMBERED]
        if _is_given_plainly(text, start, token, seen):
            out.append(MASK)
            seen.append(MASK)
            at = _end_of_quoted(text, start, at)  # `sshpass -p 'two words'`
            continue
        if (
            has_known_prefix(token)
            or (random and _is_random(token) and not _is_hash(text, start, token, seen))
            or _is_bots(text, start, token, seen)
            or (
                fed
                and token[0] not in "-$"
                and (echoed or text[max(0, start - 8) : start].rstrip(" '\"")[-3:] == "<<<")
            )
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


def _end_of_quoted(text: str, start: int, end: int) -> int:
    """Where the word that begins at `start` ends when a quotation mark stands before it, else `end`."""
    quote = text[start - 1 : start]
    if quote not in ("'", '"') or not quote:
        return end
    closing = text.find(quote, end)
    return closing if closing >= 0 else end


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


def _is_given_plainly(text: str, start: int, token: str, seen: list[str]) -> bool:
    """`sshpass -p X`, `docker login -p X`, `redis-cli -a X`, `mysql -pX`, `smbclient -U me%X`, `vault login X`."""
    option = seen[-1] if seen else ""
    if option in _TAKES and any(name in seen for name in _TAKES[option]):
        return True
    if option in ("-U", "--user") and "%" in token:
        return True
    if token[0] not in "-$":
        if seen[-2:] in _THEN_A_SECRET:
            return True
        if option[:1] != "-" and names_a_secret(option) and any(name in _SETS for name in seen[-3:-1]):
            return any(name in seen for name in _SETTERS)
    if "htpasswd" in seen and token[0] != "-":
        before = seen[seen.index("htpasswd") + 1 :]
        options = [word for word in before if word[0] == "-"]
        if any("b" in word for word in options):  # the password is an argument: the last, after the file and the user
            return len(before) - len(options) == (1 if any("n" in word for word in options) else 2)
    if option == "-p" and text[start - 3 : start] in ("-p'", '-p"'):  # `mysql -p'two words'`
        return any(name in seen for name in _TAKES_ATTACHED) and token[0] != "$"
    return token[:2] == "-p" and len(token) > 2 and any(name in seen for name in _TAKES_ATTACHED)


def _is_hash(text: str, start: int, token: str, seen: list[str]) -> bool:
    """Whether all that is random in a word is the hash of something: a commit, an image's digest, an integrity."""
    before = seen[-1].lower() if seen else ""
    if token.partition("-")[0] in _ALGORITHMS:  # `sha512-...` of a lock file
        return True
    runs = [run for run in _runs(token, _HEX) if any(char.isdigit() for char in run)]
    rest = token
    for run in runs:
        rest = rest.replace(run, "/", 1)
    if not runs or _is_random(rest) or any(run.lower() != run for run in runs):
        return False
    if text[start - 1 : start] == ":" and before.endswith(_ALGORITHMS) and len(runs) == 1:
        return True
    if any(len(run) not in (40, 64) for run in runs):
        return False
    if "".join([char for char in before if char.isalnum()]).endswith(_NAMES_A_HASH):
        return True
    if any(name in seen for name in _TAKES_HASHES) or any(sign in token for sign in ("/commit", "/tree/", "/blob/")):
        return True
    after = text[start + len(token) : start + len(token) + 2]
    if token == runs[0] and text[start - 1 : start] in ("", "\n") and after[:1] in (" ", "\t"):
        # A row of `git log --oneline`, `git ls-remote`, `sha256sum`. By itself in a line it may be anything.
        return len(token) == 40 or after in ("  ", " *")
    return token[-41:-40] == "@"  # `actions/checkout@...`


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
        return _password_after_colon(text, at, text[at - len(name) - 1 : at - len(name)]) if not option else None
    if text[at : at + 1] == "=" and not option and _is_set_as_a_secret(seen):
        return _given_value(text, at + 1)
    if seen and seen[-1] == "-b" and "curl" in seen and text[at : at + 1] == "=":
        quote = text[at - len(name) - 1]
        last = text.find(quote if quote in "'\"" else " ", at)
        return (at + 1, last if last >= 0 else len(text))
    scheme = name.lower() in _SCHEMES and text[at : at + 1] == " "
    if not scheme and not names_a_secret(name):
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
    if text[signs:first] == "::":  # a scope of C++ or Rust, a test of pytest
        return None
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
    if not value or value[0] == "<" or _is_variable(value):
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
    if name.lower().endswith("cookie"):  # `a=1; b=2`
        closing = text.find(quote if quote and quote in "'\"" else _quote_around(text, at, name), last)
        line = text.find("\n", last)
        ends = [found for found in (closing, line) if found >= 0]
        last = min(ends) if ends else last
    if name.lower().endswith("pwd") and value[:1] in "/~.":
        return None
    return first, last


def _quote_around(text: str, at: int, name: str) -> str:
    before = text[at - len(name) - 1 : at - len(name)]
    return before if before and before in "'\"" else "\n"


def names_a_secret(name: str) -> bool:
    """Whether a variable, key or option of this name holds a secret."""
    if "." in name and name.rpartition(".")[2].lower() in _SOURCES:
        return False
    bare = "".join([char for char in name.lower() if char not in "-_."])
    if bare.endswith(_NOT_NAMING):
        return False
    if bare == "sig" or bare.endswith(("pass", "auth")):
        return True
    return any(word in bare for word in _NAMING)


def _password_after_colon(text: str, at: int, quote: str) -> tuple[int, int] | None:
    """The password of `me:password`; `quote` is what stands before the name."""
    if text[at : at + 1] != ":":
        return None
    closing = text.find(quote, at) if quote and quote in "'\"" else -1
    if closing > at + 1 and not _is_variable(text[at + 1 : closing]):
        return at + 1, closing
    return _given_value(text, at + 1)


def _is_set_as_a_secret(seen: list[str]) -> bool:
    """`kubectl create secret --from-literal=name=X`, `fly secrets set NAME=X`, `heroku config:set NAME=X`."""
    near = seen[-6:]
    return seen[-1:] == ["--from-literal"] or ("set" in near and ("secrets" in near or "heroku" in near))


def _given_value(text: str, first: int) -> tuple[int, int] | None:
    """The value that begins at `first`, up to its closing quotation mark or the end of its word."""
    quote = text[first : first + 1]
    if quote and quote in "'\"":
        first += 1
        last = text.find(quote, first)
        last = len(text) if last < 0 else last
    else:
        last = first
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
