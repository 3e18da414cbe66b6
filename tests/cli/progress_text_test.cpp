// SPDX-License-Identifier: Apache-2.0
#include "progress_text.h"

#include <catch2/catch.hpp>

#include <random>
#include <vector>

using namespace fathom::cli;

TEST_CASE("seconds as a clock shows them") {
  CHECK(clock_text(0.4) == "0:00");
  CHECK(clock_text(9.99) == "0:09");
  CHECK(clock_text(70) == "1:10");
  CHECK(clock_text(3599.9) == "59:59");
  CHECK(clock_text(3723) == "1:02:03");
}

TEST_CASE("a guess is rounded up to what one would say") {
  CHECK(about(0) == "about 1 s");
  CHECK(about(3.2) == "about 4 s");
  CHECK(about(11) == "about 20 s");
  CHECK(about(90) == "about 90 s");
  CHECK(about(91) == "about 2 min");
  CHECK(about(420) == "about 7 min");
  CHECK(about(5401) == "about 2 h");
}

TEST_CASE("a line has the time from two seconds on, and what is left once enough is done") {
  ProgressText text;
  CHECK(text.line("radix-msd", 0, 88, 100) == "0/88 · radix-msd");
  CHECK(text.line("radix-msd", 1, 88, 101.5) == "1/88 · radix-msd");
  CHECK(text.line("radix-msd", 2, 88, 103) == "2/88 · radix-msd · 0:03");
  CHECK(text.line("radix-msd", 12, 88, 170) ==
        "12/88 · radix-msd · 1:10, about 8 min left");  // 70/12·76 = 443
  CHECK(text.line("radix-msd", 87, 88, 600) == "87/88 · radix-msd · 8:20, about 6 s left");
}

TEST_CASE("a twentieth of few steps is enough, and steps done before do not count") {
  ProgressText text;
  text.line("", 4, 10, 0);
  CHECK(text.line("", 4, 10, 5) == "4/10 ·  · 0:05");
  CHECK(text.line("", 5, 10, 6) == "5/10 ·  · 0:06, about 30 s left");
}

TEST_CASE("another total, or less done, is other work") {
  ProgressText text;
  text.line("", 0, 10, 0);
  text.line("", 9, 10, 60);
  CHECK(text.line("", 1, 10, 61) == "1/10 · ");
  CHECK(text.elapsed() == 0);
  CHECK(text.line("", 1, 20, 70) == "1/20 · ");
  CHECK(text.line("", 3, 20, 80) == "3/20 ·  · 0:10, about 90 s left");
}

TEST_CASE("what is left of steady work shrinks to nothing, and is never said before it is known") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    const std::size_t total = 2 + random() % 1000;
    const double per_step = std::exponential_distribution<double>(0.1)(random);
    ProgressText text;
    text.line("", 0, total, 0);
    for (std::size_t done = 1; done < total; ++done) {
      const double now = per_step * double(done);
      const std::string line = text.line("", done, total, now);
      INFO(line << " of steps of " << per_step << " s");
      const bool says = line.find("left") != std::string::npos;
      CHECK(says == (now >= 2 && (done >= 3 || double(done) >= 0.05 * double(total))));
      if (says) CHECK(line.ends_with(about(per_step * double(total - done)) + " left"));
    }
  }
}

TEST_CASE("the first line of a log is due after two seconds, later ones every ten") {
  Pace pace(102, 10);
  std::vector<int> shown;
  for (int seconds = 100; seconds < 130; ++seconds)
    if (pace.is_due(seconds)) shown.push_back(seconds);
  CHECK(shown == std::vector{102, 112, 122});
}

TEST_CASE("after a pause the next line is due at once, and those after it as far apart as ever") {
  Pace pace(2, 10);
  CHECK(pace.is_due(50));
  CHECK_FALSE(pace.is_due(59.9));
  CHECK(pace.is_due(60));
}

TEST_CASE("a line is cut between characters, and only if it is too long") {
  CHECK(cut("1/88 · radix", 12) == "1/88 · radix");
  CHECK(cut("1/88 · radix", 11) == "1/88 · rad…");
  CHECK(cut("1/88 · radix", 6) == "1/88 …");
  CHECK(cut("1/88 · radix", 7) == "1/88 ·…");
  CHECK(cut("größer", 3) == "gr…");
  CHECK(cut("größer", 4) == "grö…");
  CHECK(cut("größer", 1) == "…");
  CHECK(cut("größer", 0).empty());
  CHECK(cut("", 5).empty());
}
