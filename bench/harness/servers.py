"""The servers that are measured, each a process on one processor: the service, and nginx."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time

import commands

KEYS = {"GEOSERVICE_APP_ID": "bench", "GEOSERVICE_REST_KEY": "bench-rest",
        "GEOSERVICE_MASTER_KEY": "bench-master"}
PROCESSORS = sorted(os.sched_getaffinity(0))


def environment():
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GEOSERVICE_")}
    return {**kept, **KEYS}


def free_port():
    """A port of the loopback that nobody uses."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def use_other_processors():
    """Keeps the asking process, or thread, off the servers' processor, where there is another."""
    os.sched_setaffinity(0, PROCESSORS[1:] or PROCESSORS)


@contextlib.contextmanager
def other_processors():
    """The same for a while."""
    use_other_processors()
    try:
        yield
    finally:
        os.sched_setaffinity(0, PROCESSORS)


class Server:
    """A server process, held to the first processor unless told otherwise, ended by its number."""

    def __init__(self, command, processors=None, **options):
        self.process = subprocess.Popen(
            [str(part) for part in command], stdin=subprocess.DEVNULL,
            preexec_fn=lambda: os.sched_setaffinity(0, processors or PROCESSORS[:1]), **options)

    def processor_seconds(self):
        """Time of the process on processors so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self):
        """Its resident memory, counted in pages."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def stop(self, seconds=30):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def start_service(binary, data, processors=None, settings=None):
    """The service on a data folder, once it listens."""
    server = Server(
        [binary, "serve", "--data", data, "--listen", "127.0.0.1:0"], processors,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        env={**environment(), **(settings or {})}, text=True)
    for line in server.process.stdout:
        if line.startswith("listening on "):
            server.port = int(line.strip().rpartition(":")[2])
            return server
    server.stop()
    raise commands.Failure("the service did not start")


def start_nginx(directory):
    """nginx with a configuration of its own: one process, no log, files below `directory`/www."""
    port = free_port()
    configuration = directory / "nginx.conf"
    temporary = "".join(
        f"{kind}_temp_path {directory}/{kind};\n"
        for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    configuration.write_text(f"""
daemon off;
master_process off;
worker_processes 1;
pid {directory}/nginx.pid;
error_log {directory}/nginx.log;
events {{ worker_connections 1024; }}
http {{
    {temporary}
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000000;
    open_file_cache max=1000 inactive=1h;
    types {{ image/png png; application/geo+json json; }}
    server {{
        listen 127.0.0.1:{port};
        root {directory}/www;
    }}
}}
""", encoding="ascii")
    nginx = shutil.which("nginx") or "/usr/sbin/nginx"
    server = Server([nginx, "-p", directory, "-c", configuration], stderr=subprocess.DEVNULL)
    server.port = port
    for _ in range(100):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return server
        time.sleep(0.05)
    server.stop()
    raise commands.Failure("nginx did not start")
