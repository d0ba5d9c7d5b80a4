"""A browser with WebGL in software, for what draws vector tiles."""

import functools
import http.server
import importlib.util
import pathlib
import shutil
import threading

import pytest
from selenium import webdriver
from selenium.common.exceptions import WebDriverException
from selenium.webdriver.chrome.service import Service as Driver


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing of it."""

    def log_message(self, *_):
        pass


@pytest.fixture(scope="session")
def map_library():
    """The file of MapLibre GL JS."""
    package = importlib.util.find_spec("maplibre")
    return pathlib.Path(package.origin).parent / "srcjs/maplibre-gl.js"


@pytest.fixture
def pages(tmp_path, map_library):
    """Serves pages on loopback: `pages(html)` gives an address whose page has MapLibre beside it."""
    folder = tmp_path / "pages"
    folder.mkdir()
    shutil.copy(map_library, folder / "maplibre-gl.js")
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()

    def serve(html):
        (folder / "index.html").write_text(html)
        return f"http://127.0.0.1:{server.server_port}/index.html"

    yield serve
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="session")
def webgl(tmp_path_factory):
    """A browser that draws WebGL without a graphics card."""
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in (
        "--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars", "--lang=en-US",
        "--window-size=800,600", "--use-gl=angle", "--use-angle=swiftshader",
        "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Driver("/usr/bin/chromedriver"))
    driver.set_page_load_timeout(60)
    driver.set_script_timeout(60)
    try:
        if not driver.execute_script("return !!document.createElement('canvas').getContext('webgl2')"):
            pytest.skip("this browser has no WebGL, not even in software")
        yield driver
    finally:
        try:
            driver.quit()
        except WebDriverException:
            pass
