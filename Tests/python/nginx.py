"""A real nginx in front of a service, with a server block of one's own."""

import pathlib
import re
import shutil
import socket
import subprocess
import time

from service import REPOSITORY

PROGRAM = shutil.which("nginx") or "/usr/sbin/nginx"


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def sample():
    """The server block of docs/configuration.md, but for TLS."""
    page = (REPOSITORY / "docs/configuration.md").read_text()
    block = re.search(r"```nginx\n(.*?)```", page, re.DOTALL)[1]
    assert "listen 443 ssl;" in block and "proxy_pass http://127.0.0.1:8080;" in block
    return re.sub(r"^\s*ssl_\w+ .*\n", "", block, flags=re.MULTILINE).replace(
        "listen 443 ssl;", "listen 127.0.0.1:443;")


def server(*fields, version="1.1"):
    """A server block that passes everything on with these header fields."""
    lines = [f"proxy_set_header {field};" for field in fields]
    return ("server { listen 127.0.0.1:443; location / { proxy_pass http://127.0.0.1:8080; "
            f"proxy_http_version {version}; {' '.join(lines)} }} }}")


class Nginx:
    """nginx on a free port, as one process without a log. Requests are asked of it as of a service."""

    def __init__(self, folder, block, service):
        folder = pathlib.Path(folder)
        folder.mkdir(exist_ok=True)
        self.port = free_port()
        block = block.replace("listen 127.0.0.1:443", f"listen 127.0.0.1:{self.port}").replace(
            "127.0.0.1:8080", f"127.0.0.1:{service.port}")
        kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        temporary = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
        configuration = folder / "nginx.conf"
        configuration.write_text(
            "daemon off;\nmaster_process off;\nworker_processes 1;\n"
            f"pid {folder}/nginx.pid;\nerror_log {folder}/nginx.log;\n"
            f"events {{ worker_connections 256; }}\nhttp {{\n{temporary}access_log off;\n{block}\n}}\n")
        self.log = folder / "nginx.log"
        self.process = subprocess.Popen(
            [PROGRAM, "-p", folder, "-c", configuration], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        end = time.monotonic() + 30
        while time.monotonic() < end and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return
            except OSError:
                time.sleep(0.02)
        self.stop()
        raise AssertionError(f"nginx did not start: {self.process.stderr.read()}")

    def stop(self):
        self.process.terminate()
        self.process.wait(30)
