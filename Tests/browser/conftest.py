"""A browser for the tests of the page, and what it takes to look at a map with it."""

import re
import time

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service as Driver
from selenium.webdriver.common.by import By

from badges import BADGES
from service import REPOSITORY

SCREENSHOTS = REPOSITORY / ".build/screenshots"


class Page:
    """The map in a browser window."""

    def __init__(self, driver):
        self.driver = driver

    def size(self, width, height, density=1, dark=False, still=False):
        """Makes the window a screen of that many CSS pixels."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": density, "mobile": width < 600})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if still else "no-preference"}]})

    def open(self, address):
        """Opens an address afresh, even one that differs in its hash only."""
        self.driver.get("about:blank")
        self.driver.get_log("browser")
        self.driver.get(address)
        self.wait(lambda: self.text("#counts"), "the layer's counts")

    def script(self, code, *arguments):
        return self.driver.execute_script(code, *arguments)

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.find(selector).text

    def wait(self, condition, what, seconds=20):
        """Waits until the condition gives something true, and gives that."""
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            assert time.monotonic() < end, f"waited {seconds} s for {what}"
            time.sleep(0.1)

    def counts(self):
        """What the badges stand for, one number each."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])].map(b => Number(b.dataset.count))", BADGES)

    def counts_of_labels(self):
        """The numbers written on the clusters."""
        return self.script(
            "return [...document.querySelectorAll(arguments[0])]"
            ".map(b => b.querySelector('text')?.textContent).filter(Boolean)", BADGES)

    def zoom(self):
        return int(self.script("return location.hash.split('/')[1]"))

    def tiles(self, style):
        """Of each loaded tile of a raster style: how many pixels are painted."""
        return self.script("""
            return [...document.querySelectorAll(`canvas.raster-${arguments[0]}[data-tag]`)].map(tile => {
                const {data} = tile.getContext('2d').getImageData(0, 0, tile.width, tile.height);
                let painted = 0;
                for (let at = 3; at < data.length; at += 4) painted += data[at] > 0;
                return painted;
            })""", style)

    def statuses(self, part):
        """The HTTP statuses of the requests whose address contains `part`."""
        return self.script(
            "return performance.getEntriesByType('resource').filter(e => e.name.includes(arguments[0]))"
            ".map(e => e.responseStatus)", part)

    def basemap_is_loaded(self):
        return self.script(
            "const t = [...document.querySelectorAll('.basemap img')];"
            "return t.length > 0 && t.every(i => i.complete && i.naturalWidth > 0)")

    def problems(self):
        """What the browser complains about: broken scripts, policy breaches, failed requests."""
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def keep(self, name):
        """Keeps a picture of the window."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        self.driver.save_screenshot(str(SCREENSHOTS / f"{name}.png"))


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in (
        # Chromium refuses to sandbox itself as root, which is who runs tests in a container.
        "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
        "--hide-scrollbars", "--lang=en-US", "--window-size=1280,800",
        f"--user-data-dir={tmp_path_factory.mktemp('chromium')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Driver("/usr/bin/chromedriver"))
    driver.set_page_load_timeout(60)
    yield driver
    driver.quit()


@pytest.fixture
def page(driver, request):
    """A page on a desktop screen. A picture is kept of what was seen last."""
    page = Page(driver)
    page.size(1280, 800)
    yield page
    page.keep(re.sub(r"\W+", "-", request.node.name).strip("-"))
    driver.get("about:blank")
