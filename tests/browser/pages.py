#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Opens the reports in headless Chromium, and checks what a reader sees and does: one file, since all share a browser.

pages.py FATHOM DATA: the command and the folder of the shipped data. Exits with 77, and the reason, where Chromium,
its driver or Selenium is missing.
"""
import base64
import json
import math
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

SKIPPED = 77
MOST_BYTES = 3_000_000
FIRST_PAINT_MS = 1000
MOST_PAGES = 12  # of A4
WIDTHS = (400, 640, 800, 1280, 1600)


def skip(reason):
    print(f"skipped: {reason}: scripts/prepare browser installs it")
    sys.exit(SKIPPED)


try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys
except ImportError:
    skip("Python has no selenium")
for program in ("chromium", "chromedriver"):
    if not shutil.which(program):
        skip(f"{program} is not in PATH")

FATHOM, DATA = sys.argv[1], pathlib.Path(sys.argv[2])
SMALL = [DATA / "h200/reduce-sizes.json", DATA / "h200/sort-sizes.json"]
scratch = tempfile.TemporaryDirectory()
folder = pathlib.Path(scratch.name)


def fathom(*arguments, **environment):
    # Work that is in no table would be counted, for minutes, where a toolkit is.
    environment = os.environ | {"FATHOM_NVDISASM": "/nonexistent"} | environment
    result = subprocess.run([FATHOM, *map(str, arguments)], env=environment, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(f"{arguments}: {result.stderr}")
    return result


def browser(*arguments):
    options = Options()
    options.binary_location = shutil.which("chromium")
    for argument in ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", *arguments):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)


# Rectangles of texts in an SVG that overlap by more than a pixel.
OVERLAPS = """
return [...document.querySelectorAll('svg.figure')].filter((svg) => svg.getBoundingClientRect().width > 0).flatMap((svg) => {
  const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent && !text.getAttribute('transform') &&
                                                                  text.getBoundingClientRect().width > 0);
  const boxes = texts.map((text) => text.getBoundingClientRect());
  const found = [];
  for (let i = 0; i < boxes.length; ++i)
    for (let k = 0; k < i; ++k)
      if (Math.min(boxes[i].right, boxes[k].right) - Math.max(boxes[i].left, boxes[k].left) > 1 &&
          Math.min(boxes[i].bottom, boxes[k].bottom) - Math.max(boxes[i].top, boxes[k].top) > 3)
        found.push(svg.parentNode.id + ': ' + texts[i].textContent + ' / ' + texts[k].textContent);
  return found;
});
"""

# Text whose contrast with the ground is below 4.5, by the formula of WCAG 2.
CONTRASTS = """
const parts = (colour) => colour.match(/[\\d.]+/g).map(Number);
const luminance = (colour) => {
  const [r, g, b] = parts(colour).slice(0, 3).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = getComputedStyle(at).backgroundColor, all = parts(colour);
    if (all.length < 4 || all[3] > 0) return colour;
  }
  return 'rgb(255, 255, 255)';
};
const found = new Set();
for (const element of document.querySelectorAll('body *')) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || element.closest('script, style, desc') || !element.getBoundingClientRect().width) continue;
  const style = getComputedStyle(element), text = element instanceof SVGElement ? style.fill : style.color;
  const a = luminance(text), b = luminance(ground(element));
  const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (contrast < 4.5) found.add(element.tagName + ' ' + element.textContent.slice(0, 30) + ' ' + contrast.toFixed(2));
}
return [...found];
"""

OPEN_ALL = "for (const one of document.querySelectorAll('details')) one.open = true;"


def number(text):
    """A value of a readout: '2²⁰', '12.3', '1e7'."""
    power = re.fullmatch("2([⁰¹²³⁴⁵⁶⁷⁸⁹]+)", text)
    if power:
        return 2.0 ** int("".join(str("⁰¹²³⁴⁵⁶⁷⁸⁹".index(c)) for c in power[1]))
    return float(text)


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = folder / "report.html"
        fathom("report", *SMALL, "--law", "counted", "-o", cls.report)
        cls.pages = [cls.report, folder / "datasets.html", folder / "profiles.html", folder / "gpus.html"]
        fathom("report", "--compare", DATA / "h200/sort-sizes.json", DATA / "h200-merge-sorts/sizes.json", "-o", cls.pages[1])
        fathom("report", "--compare", "h200", "m4000", "-o", cls.pages[2])
        gpus = DATA / "h200-gpus"
        fathom("report", gpus / "sorts.json", gpus / "sums.json", "--device", gpus / "links.json", "-o", cls.pages[3])
        cls.driver = browser()

    @classmethod
    def tearDownClass(cls):
        cls.driver.quit()

    def open(self, page=None, width=1280, dark=False, media=""):
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride",
                                    {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False})
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "media": media, "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        self.driver.get((page or self.report).as_uri())

    def js(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def settle(self, condition):
        """Waits for what the browser does by and by."""
        for _ in range(100):
            if self.js("return " + condition):
                return
            time.sleep(0.05)
        self.fail(f"never: {condition}")

    def press(self, *keys):
        ActionChains(self.driver).send_keys(*keys).perform()

    def test_no_complaints_in_the_console(self):
        for page in self.pages:
            self.open(page)
            self.js(OPEN_ALL)
            self.settle("[...document.querySelectorAll('svg.figure')].every((svg) => svg.hasAttribute('tabindex'))")
            self.assertEqual(self.driver.get_log("browser"), [])

    def test_no_horizontal_scrolling_no_overlap_and_enough_contrast(self):
        for page in self.pages:
            for dark in (False, True):
                for width in (400, 1280) if dark else WIDTHS:
                    with self.subTest(page=page.name, width=width, dark=dark):
                        self.open(page, width, dark)
                        self.js(OPEN_ALL)
                        self.settle("[...document.querySelectorAll('svg.figure')].every((svg) => svg.hasAttribute('tabindex'))")
                        self.assertLessEqual(self.js("return document.documentElement.scrollWidth"), width)
                        self.assertEqual(self.js(OVERLAPS), [])
                        if width == 1280:
                            self.assertEqual(self.js(CONTRASTS), [])

    def test_hover_shows_the_measured_value(self):
        self.open()
        runs = [run for file in SMALL for run in json.loads(file.read_text())["runs"]]
        expected = {run["n"]: run["n"] / statistics.median(run["seconds"]) / 1e9 for run in runs
                    if run["algorithm"] == "sort-pairwise" and run["type"] == "u32" and run["parameters"] == {"E": 17, "t": 256}}
        self.js("document.getElementById('algorithm-sort-pairwise').open = true")
        self.settle("document.querySelector('#throughput-sort-pairwise-u32 .readout')")
        self.js("document.getElementById('throughput-sort-pairwise-u32').scrollIntoView()")
        points = self.js("""
            const figure = document.getElementById('throughput-sort-pairwise-u32'), svg = figure.querySelector('svg.figure');
            const k = [...figure.querySelectorAll('.legend li')].find((li) => li.textContent === 'measured, quartiles').dataset.k;
            const box = svg.getBoundingClientRect(), scale = box.width / svg.viewBox.baseVal.width;
            return [...svg.querySelector(`g[data-k="${k}"] .p`).getAttribute('d').matchAll(/([\\d.]+) ([\\d.]+)/g)]
                .map((at) => [box.left + at[1] * scale, box.top + at[2] * scale]);""")
        self.assertEqual(len(points), len(expected))
        seen = 0
        for x, y in points[-6:]:
            self.driver.execute_cdp_cmd("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
            self.settle("!document.querySelector('#throughput-sort-pairwise-u32 .readout').hidden")
            lines = self.js("return document.querySelector('#throughput-sort-pairwise-u32 .readout').textContent").split("\n")
            if lines[0] != "measured, quartiles":
                continue  # another curve's point is as near
            n, rate = number(lines[1].split(": ")[1]), number(lines[2].split(": ")[1])
            nearest = min(expected, key=lambda one: abs(math.log(one / n)))
            self.assertAlmostEqual(n / nearest, 1, delta=0.01)
            self.assertAlmostEqual(rate / expected[nearest], 1, delta=0.01)
            seen += 1
        self.assertGreater(seen, 2)

    def first_figure(self):
        self.open()
        self.settle("document.querySelector('#speed .tools button')")

    def test_every_control_works_by_keyboard(self):
        self.first_figure()
        reached, steps = set(), 0
        while steps < 400:
            self.press(Keys.TAB)
            steps += 1
            at = self.js("""const at = document.activeElement;
                return at === document.body ? '' : at.tagName + ' ' + (at.closest('figure')?.id ?? at.parentElement.id) + ' ' + at.textContent.slice(0, 40);""")
            if not at or at in reached:
                break
            reached.add(at)
        tags = {one.split()[0].lower() for one in reached}
        self.assertLessEqual({"a", "summary", "button", "svg"}, tags)
        visible = self.js("""return [...document.querySelectorAll('button, summary, select, a[href], svg.figure')]
            .filter((one) => one.getBoundingClientRect().width > 0 && !one.closest('details:not([open]) > .inside')).length""")
        self.assertGreaterEqual(len(reached), visible)

    def test_arrow_keys_read_values(self):
        self.first_figure()
        self.js("document.querySelector('#speed svg.figure').focus()")
        self.press(Keys.ARROW_RIGHT)
        read = "return document.querySelector('#speed .readout').textContent"
        first = self.js(read)
        self.assertIn("n (elements): ", first)
        self.press(Keys.ARROW_RIGHT)
        self.assertNotEqual(self.js(read), first)
        self.press(Keys.ARROW_DOWN)
        self.assertNotEqual(self.js(read).split("\n")[0], first.split("\n")[0])
        self.press(Keys.ESCAPE)
        self.assertTrue(self.js("return document.querySelector('#speed .readout').hidden"))

    def test_the_legend_hides_a_curve(self):
        self.first_figure()
        button = self.driver.find_element("css selector", "#speed .legend button")
        shown = """const k = document.querySelector('#speed .legend li').dataset.k;
            return [...document.querySelectorAll(`#speed g[data-k="${k}"] path`)].filter((one) => one.getBoundingClientRect().width > 0).length"""
        before = self.js(shown)
        self.assertGreater(before, 0)
        self.js("arguments[0].focus()", button)
        self.press(Keys.SPACE)
        self.assertEqual(self.js(shown), 0)
        self.assertEqual(button.get_attribute("aria-pressed"), "false")
        self.press(Keys.SPACE)
        self.assertEqual(self.js(shown), before)

    def test_the_other_scale_keeps_values(self):
        self.first_figure()
        geometry = """const svg = document.querySelector('#speed svg.figure');
            return [...svg.querySelectorAll('.p')].map((path) => [...path.getAttribute('d').matchAll(/([\\d.]+) ([\\d.]+)/g)].map((at) => Number(at[2])))"""
        before = self.js(geometry)
        p0, v0, p1, v1, base = map(float, self.js("return document.querySelector('#speed svg.figure').dataset.y").split())
        self.assertEqual(base, 10)
        button = self.driver.find_element("xpath", "//figure[@id='speed']//button[text()='y axis linear']")
        self.js("arguments[0].focus()", button)
        self.press(Keys.ENTER)
        after = self.js(geometry)
        for path, moved in zip(before, after):
            for y, now in zip(path, moved):
                value = v0 * (v1 / v0) ** ((y - p0) / (p1 - p0))
                self.assertAlmostEqual(now, p0 + value / v1 * (p1 - p0), delta=0.05)
        self.assertEqual(self.js("return document.querySelectorAll('#speed .again-y text').length > 2"), True)
        self.assertEqual(self.js(OVERLAPS), [])
        self.press(Keys.ENTER)
        self.assertEqual(self.js(geometry), before)

    def test_choices_show_one_type(self):
        self.open()
        self.js("document.getElementById('algorithm-reduce-vector').open = true")
        select = self.driver.find_element("css selector", "#algorithm-reduce-vector select")
        visible = """return [...document.querySelectorAll('#algorithm-reduce-vector figure')].filter((one) => !one.hidden).map((one) => one.dataset.type)"""
        self.assertEqual(len(set(self.js(visible))), 1)
        first = self.js(visible)[0]
        self.js("arguments[0].focus()", select)
        self.press(Keys.ARROW_DOWN)
        self.assertEqual(len(set(self.js(visible))), 1)
        self.assertNotEqual(self.js(visible)[0], first)

    def test_a_link_in_the_verdict_opens_its_section(self):
        self.open()
        self.driver.find_element("link text", "sort-pairwise").click()
        self.settle("document.getElementById('algorithm-sort-pairwise').open")

    def test_print_has_the_algorithms_and_what_the_reader_opened(self):
        self.open(media="print")
        self.js("document.getElementById('notes').open = true")
        seen = self.js("""return [...document.querySelectorAll('details')].filter((one) => one.getBoundingClientRect().height > 0 &&
            one.querySelector('.inside').checkVisibility({contentVisibilityAuto: true})).map((one) => one.id)""")
        self.assertLessEqual({"algorithm-sort-pairwise", "algorithm-reduce-vector", "machine", "notes"}, set(seen))
        self.assertNotIn("tables", seen)

    def test_no_column_is_out_of_reach(self):
        for page in self.pages:
            for width in (400, 900):
                with self.subTest(page=page.name, width=width):
                    self.open(page, width)
                    self.js(OPEN_ALL)
                    out_of_reach = self.js("""return [...document.querySelectorAll('table')].filter((table) => {
                        const box = table.parentElement;
                        return box.clientWidth > innerWidth || box.scrollWidth < table.offsetWidth || getComputedStyle(box).overflowX !== 'auto';
                    }).length""")
                    self.assertEqual(out_of_reach, 0)

    def test_it_reads_without_script(self):
        driver = browser("--blink-settings=scriptEnabled=false")
        try:
            driver.get(self.report.as_uri())
            figures = driver.find_elements("css selector", ".overview figure svg.figure")
            self.assertEqual(len(figures), 3)
            self.assertTrue(all(one.is_displayed() for one in figures))
            self.assertEqual(driver.find_elements("css selector", ".legend button"), [])
            section = driver.find_element("id", "algorithm-reduce-vector")
            section.find_element("css selector", "summary").click()
            shown = section.find_elements("css selector", "figure")
            self.assertGreater(len(shown), 2)
            self.assertTrue(all(one.is_displayed() for one in shown))
        finally:
            driver.quit()

    def test_it_reads_without_gnuplot(self):
        page = folder / "bare.html"
        result = fathom("report", *SMALL, "--law", "counted", "-o", page, PATH="/nonexistent")
        self.assertIn("gnuplot-nox", result.stderr)
        self.open(page)
        self.assertEqual(self.js("return document.querySelectorAll('figure').length"), 0)
        self.assertIn("gnuplot-nox", self.js("return document.querySelector('.overview .warning').textContent"))
        self.assertGreater(self.js("return document.querySelectorAll('.overview tbody tr').length"), 3)
        self.assertEqual(self.driver.get_log("browser"), [])

    def test_every_figure_has_a_name_and_a_description(self):
        for page in self.pages:
            self.open(page)
            unnamed = self.js("""return [...document.querySelectorAll('svg.figure')].filter((svg) => svg.getAttribute('role') !== 'img' ||
                svg.getAttribute('aria-labelledby').split(' ').some((id) => !document.getElementById(id).textContent.trim())).length""")
            self.assertEqual(unnamed, 0)


class Size(unittest.TestCase):
    def test_all_shipped_data_are_small_and_fast(self):
        page = folder / "all.html"
        files = [file for name in ("h200", "h200-merge-sorts", "h200-radix-sorts") for file in sorted((DATA / name).glob("*.json"))]
        fathom("report", *files, "-o", page)
        self.assertLessEqual(page.stat().st_size, MOST_BYTES)
        driver = browser("--window-size=1280,900")
        try:
            driver.get(page.as_uri())
            for _ in range(100):
                paint = driver.execute_script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime")
                if paint:
                    break
                time.sleep(0.05)
            print(f"{page.stat().st_size} bytes, first contentful paint after {paint:.0f} ms")
            self.assertLess(paint, FIRST_PAINT_MS)
            printed = base64.b64decode(driver.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.69})["data"])
            self.assertLessEqual(len(re.findall(rb"/Type\s*/Page\b", printed)), MOST_PAGES)
        finally:
            driver.quit()


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
