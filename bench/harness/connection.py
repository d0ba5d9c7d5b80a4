"""One kept connection to the service. It does little: its own time is measured too."""

import re
import socket

import commands


class Refused(commands.Failure):
    """The service said no: status and reason."""

    def __init__(self, path, status, body):
        self.status = status
        super().__init__(f"{path} is answered by {status}: {body[:200].decode(errors='replace')}")


class Connection:
    """Asks one question at a time."""

    LENGTH = re.compile(rb"\r\ncontent-length: *(\d+)", re.IGNORECASE)

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @staticmethod
    def request(path):
        """The bytes that ask for a path."""
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode("ascii")

    def ask(self, request):
        """Status and body that answer a request."""
        self.socket.sendall(request)
        answer = bytearray()
        while (end := answer.find(b"\r\n\r\n")) < 0:
            answer += self.more()
        head = bytes(answer[:end])
        length = self.LENGTH.search(head)
        size = end + 4 + (int(length[1]) if length else 0)
        while len(answer) < size:
            answer += self.more()
        return int(head[9:12]), bytes(answer[end + 4:])

    def get(self, path):
        """The body behind a path. Raises Refused unless it is 200."""
        status, body = self.ask(self.request(path))
        if status != 200:
            raise Refused(path, status, body)
        return body

    def more(self):
        part = self.socket.recv(1 << 20)
        if not part:
            raise OSError("the service ended the connection")
        return part

    def close(self):
        self.socket.close()
