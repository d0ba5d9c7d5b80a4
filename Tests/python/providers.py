"""A login provider for tests: signs web tokens, publishes its keys, and says whose an access token
is."""

import base64
import http.server
import json
import subprocess
import threading
import time


def _text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class SigningKey:
    """An RSA key, made by the program `openssl`."""

    def __init__(self, folder, name, bits=2048):
        self.name = name
        self.file = folder / f"{name}.pem"
        subprocess.run(
            ["openssl", "genrsa", "-out", self.file, str(bits)], check=True, capture_output=True)
        shown = subprocess.run(
            ["openssl", "rsa", "-in", self.file, "-noout", "-modulus"], check=True,
            capture_output=True, text=True).stdout
        self.modulus = bytes.fromhex(shown.strip().split("=")[1])

    @property
    def public(self):
        return {"kty": "RSA", "kid": self.name, "use": "sig", "alg": "RS256",
                "n": _text(self.modulus), "e": "AQAB"}

    def sign(self, claims, header=None):
        head = {"alg": "RS256", "kid": self.name, **(header or {})}
        signed = ".".join(_text(json.dumps(part).encode()) for part in (head, claims))
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", self.file], input=signed.encode(), check=True,
            capture_output=True).stdout
        return f"{signed}.{_text(signature)}"


class Provider:
    """The provider's server. `owners` has the id of each access token's owner, `apps` the app."""

    def __init__(self):
        self.keys, self.owners, self.apps, self.asked = [], {}, {}, []
        self.broken = None
        provider = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                provider.asked.append(self.path)
                token = (self.headers["Authorization"] or "").removeprefix("Bearer ")
                if provider.broken:
                    return provider.broken(self)
                if self.path == "/keys":
                    return self.answer(200, {"keys": provider.keys})
                known = provider.apps if self.path == "/app" else provider.owners
                if token not in known:
                    return self.answer(401, {"error": "invalid token"})
                self.answer(200, {"id": known[token], "name": "somebody"})

            def answer(self, status, body, **fields):
                content = json.dumps(body).encode()
                self.send_response(status)
                for name, value in {"Content-Length": str(len(content)), **fields}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


def claims(issuer, audience, subject, **changes):
    """What a good token says."""
    now = int(time.time())
    return {"iss": issuer, "aud": audience, "sub": subject, "iat": now, "exp": now + 600, **changes}
