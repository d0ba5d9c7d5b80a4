"""Our city in the service's own storage, imported once and kept for later runs."""

import shutil
import subprocess

import commands
import servers

LAYER = "City"


def imported(service, work, options, count):
    """The kept data folder of a size; removing it has it imported anew."""
    folder = work / f"data-{options.size}"
    done = work / f"data-{options.size}.done"
    if folder.exists() and done.exists():
        return folder
    done.unlink(missing_ok=True)
    shutil.rmtree(folder, ignore_errors=True)
    commands.announce(f"importing city.{options.size}")
    points = work / f"city-{options.size}.csv"
    try:
        with open(points, "wb") as file:
            subprocess.run([service, "synth", "--points", str(count)], stdout=file, check=True)
        commands.run(service, "import", points, "--layer", LAYER, "--data", folder,
                     "--acl", '{"*":{"read":true,"write":true}}', env=servers.environment())
    finally:
        points.unlink(missing_ok=True)
    done.touch()
    return folder


def copied(folder, directory):
    """A copy of it that may be written to."""
    commands.run("cp", "-r", "--reflink=auto", folder, directory / "data")
    return directory / "data"
