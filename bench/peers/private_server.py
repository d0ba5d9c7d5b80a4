"""A database server of our own: in a temporary folder, on a socket in it, ended by its number.

The system's service of the same name is never touched. Whoever runs the bench as root has the
server run as an account without rights, which some servers insist on.
"""

import os
import pathlib
import pwd
import shutil
import signal
import subprocess
import tempfile
import time

PROCESSORS = sorted(os.sched_getaffinity(0))


class PrivateServer:
    """A folder and the programs that are run in it. For `with`: leaving it ends and removes all."""

    def __init__(self, account, stop_signal=signal.SIGTERM):
        self.account = {}
        if os.geteuid() == 0:
            try:
                entry = pwd.getpwnam(account)
            except KeyError:
                entry = pwd.getpwnam("nobody")
            self.account = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.stop_signal = stop_signal
        self.process = None
        # Below the system's folder for such, since an account without rights may not see ours.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="geobench-"))
        if self.account:
            os.chown(self.folder, self.account["user"], self.account["group"])

    def options(self):
        """How its programs are started: as nobody in particular, held to the first processor."""
        return {"cwd": self.folder, "stdin": subprocess.DEVNULL, **self.account,
                "env": {"PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C",
                        "HOME": str(self.folder)},
                "preexec_fn": lambda: os.sched_setaffinity(0, PROCESSORS[:1])}

    def run(self, *command):
        """Runs a program to its end."""
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True, **self.options())

    def start(self, *command):
        """Starts the server."""
        with open(self.folder / "log", "wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, **self.options())

    def wait_for(self, connect, errors, seconds=60):
        """What `connect` gives once the server takes connections."""
        end = time.monotonic() + seconds
        while True:
            try:
                return connect()
            except errors as error:
                if self.process.poll() is not None or time.monotonic() > end:
                    log = (self.folder / "log").read_text(errors="replace").strip().splitlines()
                    raise OSError(f"it did not start: {(log or [error])[-1]}") from error
                time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            if self.process:
                self.process.send_signal(self.stop_signal)
                try:
                    self.process.wait(60)
                except subprocess.TimeoutExpired:
                    self.process.kill()
                    self.process.wait()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def use_other_processors():
    """Keeps the asking process off the server's processor, where there is another."""
    os.sched_setaffinity(0, PROCESSORS[1:] or PROCESSORS)
