// SPDX-License-Identifier: Apache-2.0
// Figures as gnuplot draws them: formats, escaped text, failures.
#include "../support/environment.h"
#include "../support/temporary_directory.h"
#include "samples.h"

#include <fathom/core/text/escape.h>
#include <fathom/reports/figures.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <csignal>
#include <fstream>
#include <regex>

using namespace fathom;
using namespace fathom::reports;
using Catch::Matchers::Contains;
using tests::Environment, tests::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

Figure small_figure() {
  return {.id = "small",
          .title = "a_b^c & <d> 'e'",
          .x = {.label = "x"},
          .y = {.label = "y"},
          .layers = {{.label = "l", .points = {{1, 1}, {2, 4}}}}};
}

/// A program called gnuplot, first in PATH, for its lifetime.
class FakeGnuplot {
 public:
  explicit FakeGnuplot(const std::string& script) {
    std::ofstream(folder_ / "gnuplot") << "#!/bin/sh\n" << script << '\n';
    fs::permissions(folder_ / "gnuplot", fs::perms::owner_all);
  }

 private:
  TemporaryDirectory folder_;
  Environment path_{"PATH", folder_.path().string() + ":" + std::getenv("PATH")};
};

}  // namespace

TEST_CASE("the file's extension selects the format") {
  const TemporaryDirectory folder;
  for (const auto& [ending, magic] : {std::pair{".png", "\x89PNG"}, {".pdf", "%PDF"}, {".svg", "<svg"}}) {
    const fs::path file = folder / (std::string("it's") + ending);
    draw(small_figure(), file);
    std::string bytes(4, '\0');
    std::ifstream(file, std::ios::binary).read(bytes.data(), 4);
    CHECK(bytes == magic);
  }
  CHECK_THROWS_WITH(draw(small_figure(), folder / "a.gif"), Contains(".svg, .png or .pdf"));
}

TEST_CASE("an SVG has an escaped title and its own ids") {
  const std::string text = svg(small_figure());
  CHECK_THAT(text, Contains("<title id=\"small-title\">a_b^c &amp; &lt;d&gt; &#39;e&#39;</title>"));
  CHECK_THAT(text, Contains("role=\"img\""));
  CHECK_THAT(text, Contains("id='small-gpPt0'") && !Contains("id='gpPt0'") && !Contains("'#gpPt"));
}

TEST_CASE("panels are drawn side by side, each with its own axes") {
  Figure figure = small_figure();
  figure.layers.clear();
  figure.panels = {small_figure(), small_figure()};
  figure.panels[0].title = "left";
  figure.panels[0].x = {.label = "log", .scale = Scale::log2};
  figure.panels[0].layers[0].points = {{1, 1}, {1024, 4}};
  figure.panels[1].title = "right";
  const std::string text = svg(figure);
  CHECK_THAT(text, Contains("viewBox=\"0 0 1600 ") && Contains(">left<") && Contains(">right<"));
  CHECK_THAT(text, Contains(">1024<"));
  CHECK(occurrences(text, "> 0.5<") == 3);  // ticks of both y axes, and of the right x axis, which is linear
  CHECK_THAT(svg(small_figure()), Contains("viewBox=\"0 0 800 "));
  figure.panels[1].layers.clear();
  CHECK_THROWS_AS(svg(figure), std::invalid_argument);
}

TEST_CASE("without gnuplot the error names its package") {
  const Environment nothing("PATH", "/nonexistent");
  CHECK_THROWS_WITH(svg(small_figure()), Contains("gnuplot-nox"));
}

TEST_CASE("a figure's id, title and labels from files stay text in its SVG") {
  Figure figure = small_figure();
  figure.id = figure.title = figure.description = figure.x.label = figure.layers[0].label = hostile_text;
  const std::string text = svg(figure);
  CHECK_THAT(text, !Contains("<img") && !Contains("<svg onload") && !Contains("\x1b") && !Contains("\xff"));
  CHECK_THAT(text, Contains("id='" + identifier(hostile_text) + "-gpPt0'"));
  CHECK_THAT(text,
             Contains("`id` id='q' href=\"#q\" url(#q)"));  // a label, not prefixed with the figure's id
  for (const char* label :
       {"'", "'; print 1", "a''; system \"touch fathom-was-here\"; b''", "'''", "\\'\\", "a]]>b"}) {
    figure.title = figure.layers[0].label = label;
    INFO(label);
    const std::string drawn = svg(figure);
    CHECK_THAT(drawn, !Contains("]]>"));  // which is not XML
    const std::string shown = std::regex_replace(drawn, std::regex("<[^>]*>"), "");
    CHECK(occurrences(std::regex_replace(shown, std::regex("&gt;"), ">"), label) >= 2);  // title and legend
  }
  CHECK_FALSE(fs::exists("fathom-was-here"));
}

TEST_CASE("gnuplot's failure is one line in our words, and none of its text") {
  for (const auto& [script, says] : {std::pair{"echo SECRET; echo SECRET >&2; exit 3", "exit status 3"},
                                     {"kill -SEGV $$", "signal 11"},
                                     {"exit 0", "drew nothing"},
                                     {"echo SECRET", "no SVG"}}) {
    const FakeGnuplot gnuplot(script);
    INFO(script);
    CHECK_THROWS_AS(svg(small_figure()), GnuplotError);
    CHECK_THROWS_WITH(svg(small_figure()), Contains(says) && Contains("a_b^c & <d> 'e'") &&
                                               Contains("gnuplot 5") && !Contains("SECRET") &&
                                               !Contains("\n"));
  }
}

TEST_CASE("gnuplot runs with default signals, and without its user's start-up files") {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, &before);
  const auto ignored = std::signal(SIGINT, SIG_IGN);
  {
    // glibc itself ignores signals 32 and 33 in the child.
    const FakeGnuplot gnuplot(
        "test \"$1\" = -d && grep -q '^SigBlk:.0*$' /proc/self/status &&"
        " grep -q '^SigIgn:.*[08]0000000$' /proc/self/status && exit 7");
    CHECK_THROWS_WITH(svg(small_figure()), Contains("exit status 7"));
  }
  CHECK(std::signal(SIGINT, ignored) == SIG_IGN);
  sigset_t after;
  sigprocmask(SIG_SETMASK, &before, &after);
  CHECK(sigismember(&after, SIGTERM) == 1);
}

TEST_CASE("drawing leaves no file") {
  const TemporaryDirectory folder;
  const Environment temporary("TMPDIR", folder.path().string());
  const fs::file_time_type before = fs::last_write_time(folder.path());
  CHECK_FALSE(svg(small_figure()).empty());
  CHECK(fs::last_write_time(folder.path()) == before);
}

TEST_CASE("a figure without points is refused") {
  Figure figure = small_figure();
  figure.layers[0].points = {{NAN, 1}};
  CHECK_THROWS_AS(svg(figure), std::invalid_argument);
}

TEST_CASE("axes of any range have a few ticks") {
  for (Scale scale : {Scale::log2, Scale::log10})
    for (double low : {1e-299, 1e-3, 1e298})
      for (std::optional<double> end : {std::optional<double>(), std::optional<double>(INFINITY)}) {
        Figure figure = small_figure();
        figure.x.scale = figure.y.scale = scale;
        figure.x.high = figure.y.high = end;
        figure.layers[0].points = {{low, low}, {1e299, 1e299}, {1e306, 1}};
        CAPTURE(low);
        CHECK(svg(figure).size() < 100'000);
      }
  Figure beyond = small_figure();
  beyond.y.scale = Scale::log10;
  beyond.layers[0].points = {{1, 1e306}};
  CHECK_THROWS_WITH(svg(beyond), Contains("has no points"));
}
