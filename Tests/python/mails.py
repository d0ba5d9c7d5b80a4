"""Mails that a service left in its outbox folder, or handed to a server."""

import email
import email.policy
import re
import socketserver
import threading
import time
from dataclasses import dataclass


@dataclass(frozen=True)
class Mail:
    to: str
    sender: str
    subject: str
    text: str

    @property
    def link(self):
        return re.search(r"https?://\S+", self.text)[0]

    @property
    def token(self):
        return re.search(r"token=([0-9a-f]{32})\b", self.text)[1]


def read(content):
    """A mail from its bytes."""
    message = email.message_from_bytes(content, policy=email.policy.default)
    assert not message.defects, message.defects
    assert b"\n" not in content.replace(b"\r\n", b""), "lines end in CR LF"
    return Mail(
        to=message["To"].addresses[0].addr_spec, sender=message["From"].addresses[0].addr_spec,
        subject=message["Subject"], text=message.get_content())


def wait_for_mails(service, count, timeout=30):
    """The mails in the outbox folder, in their order, once there are so many."""
    folder = service.data / "outbox"
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        files = sorted(folder.glob("*.eml")) if folder.is_dir() else []
        if len(files) >= count:
            assert folder.stat().st_mode & 0o777 == 0o700
            assert all(file.stat().st_mode & 0o777 == 0o600 for file in files)
            return [read(file.read_bytes()) for file in files]
        time.sleep(0.02)
    raise AssertionError(f"{len(files)} mails instead of {count}: {service.log.read_text()}")


class MailServer:
    """A mail server that keeps what it is given."""

    def __init__(self):
        mails, arrived = [], threading.Semaphore(0)

        class Handler(socketserver.StreamRequestHandler):
            def handle(self):
                self.say("220 stub")
                receiver = None
                while line := self.rfile.readline().decode().rstrip("\r\n"):
                    verb = line.split(" ")[0].upper()
                    if verb == "DATA":
                        self.say("354 go on")
                        content = b""
                        while (piece := self.rfile.readline()) != b".\r\n":
                            content += piece.removeprefix(b".") if piece[:1] == b"." else piece
                        mails.append((receiver, read(content)))
                        arrived.release()
                    elif verb == "RCPT":
                        receiver = line.split(":", 1)[1].strip().strip("<>")
                    elif verb == "QUIT":
                        return self.say("221 bye")
                    self.say("250 fine")

            def say(self, text):
                self.wfile.write(f"{text}\r\n".encode())

        self.mails, self.arrived = mails, arrived
        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"smtp://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def next(self, timeout=30):
        assert self.arrived.acquire(timeout=timeout), "no mail came"
        return self.mails[-1]

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
