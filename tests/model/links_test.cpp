// SPDX-License-Identifier: Apache-2.0
// Times of exchanges between GPUs, worked by hand.
#include "../support/links.h"

#include <fathom/model/what_if.h>

#include <catch2/catch.hpp>

#include <limits>

#include "../support/machines.h"

using namespace fathom;
using Catch::Matchers::Contains;

namespace {

constexpr double us = 1e-6, MB = 1e6;

double seconds(ExchangeKind kind, double bytes, int gpus, const Links& links = tests::links()) {
  return exchange_time({kind, bytes}, gpus, links).seconds;
}

}  // namespace

TEST_CASE("the time of an exchange is the line of its range") {
  const auto all_to_all = [](double bytes) { return seconds(ExchangeKind::all_to_all, bytes, 2); };
  CHECK(all_to_all(0) == Approx(16 * us));
  CHECK(all_to_all(0.5 * MB) == Approx(18 * us));  // 4 µs per MB up to 1 MB
  CHECK(all_to_all(1 * MB) == Approx(20 * us));
  CHECK(all_to_all(5 * MB) == Approx(40 * us));  // 15 + 5·5
  CHECK(all_to_all(1000 * MB) == Approx(5015 * us));
}

TEST_CASE("each piece of an exchange has its latency") {
  const ExchangeTime time = exchange_time({ExchangeKind::all_to_all, 5 * MB, 10}, 2, tests::links());
  CHECK(time.seconds == Approx(10 * 18 * us));  // of 0.5 MB each
  REQUIRE(time.interval_s);
  CHECK(time.interval_s->high == Approx(10 * (18 + std::hypot(1, 0.5)) * us));
  CHECK_THROWS_WITH(exchange_time({ExchangeKind::all_to_all, 5 * MB, 0.5}, 2, tests::links()),
                    Contains("at least one piece"));
}

TEST_CASE("what was measured rests on no assumption") {
  CHECK(exchange_time({ExchangeKind::all_to_all, 5 * MB}, 2, tests::links()).assumptions.empty());
  const ExchangeTime larger = exchange_time({ExchangeKind::all_to_all, 2000 * MB}, 2, tests::links());
  CHECK(larger.seconds == Approx(10015 * us));
  REQUIRE(larger.assumptions.size() == 1);
  CHECK_THAT(larger.assumptions[0], Contains("beyond the largest measured, 1e+09 bytes"));
}

TEST_CASE("the interval holds the deviations of latency and rate as if they were independent") {
  // 5 MB: ± 3 µs of the latency and ± 5·0.8 µs of the bytes.
  const ExchangeTime time = exchange_time({ExchangeKind::all_to_all, 5 * MB}, 2, tests::links());
  REQUIRE(time.interval_s);
  CHECK(time.interval_s->low == Approx(35 * us));
  CHECK(time.interval_s->high == Approx(45 * us));
  CHECK_FALSE(exchange_time({ExchangeKind::peer_copy, 5 * MB}, 2, tests::links()).interval_s);
}

TEST_CASE("between two numbers of GPUs that were measured the time is interpolated, and said to be") {
  const ExchangeTime three = exchange_time({ExchangeKind::all_to_all, 5 * MB}, 3, tests::links());
  CHECK(three.seconds == Approx(44 * us));  // of 40 and 48
  REQUIRE(three.assumptions.size() == 1);
  CHECK_THAT(three.assumptions[0], Contains("all-to-all among 3 GPUs is interpolated between 2 and 4 GPUs"));
}

TEST_CASE("for more GPUs than measured the latency goes on growing, a byte takes as long, and it is said") {
  // Empty: 16 µs among 2, 24 among 4, so 40 among 8. 5 MB add 24 µs among 4.
  const ExchangeTime eight = exchange_time({ExchangeKind::all_to_all, 5 * MB}, 8, tests::links());
  CHECK(eight.seconds == Approx(64 * us));
  REQUIRE(eight.assumptions.size() == 1);
  CHECK_THAT(eight.assumptions[0],
             Contains("all-to-all among 8 GPUs is extrapolated from 4 GPUs") && Contains("switch"));
  // The interval of 48 µs among 4, ± 5; below, 16 µs more; above, 7 messages in place of 3: 24·4/3 more.
  REQUIRE(eight.interval_s);
  CHECK(eight.interval_s->low == Approx((43 + 16) * us));
  CHECK(eight.interval_s->high == Approx((53 + 32) * us));
}

TEST_CASE("from one number of GPUs the latency stays; a GPU that sends to one other sends as before") {
  CHECK(seconds(ExchangeKind::send_receive, 5 * MB, 8) == Approx(28 * us));
  const ExchangeTime eight = exchange_time({ExchangeKind::send_receive, 5 * MB}, 8, tests::links());
  REQUIRE(eight.interval_s);
  CHECK(eight.interval_s->high == Approx(33 * us));
}

TEST_CASE("where GPUs share the host's link, the interval reaches to where all share it") {
  Links links = tests::links();
  links.pairs.push_back({1, 2, LinkType::host});
  const ExchangeTime eight = exchange_time({ExchangeKind::send_receive, 5 * MB}, 8, links);
  REQUIRE(eight.interval_s);
  CHECK(eight.interval_s->high ==
        Approx((33 + 12 * 3) * us));  // 12 µs of bytes among 2, four times that among 8
  CHECK_THAT(eight.assumptions.at(0), Contains("without NVLink"));
}

TEST_CASE("fewer GPUs than measured are as fast as the fewest measured, and it is said") {
  Links links = tests::links();
  std::erase_if(links.curves, [](const LinkCurve& curve) { return curve.gpus == 2; });
  const ExchangeTime two = exchange_time({ExchangeKind::all_to_all, 5 * MB}, 2, links);
  CHECK(two.seconds == Approx(48 * us));
  CHECK_THAT(two.assumptions.at(0), Contains("among 4 GPUs, the fewest measured"));
}

TEST_CASE("a GPU alone exchanges nothing") {
  CHECK(seconds(ExchangeKind::all_to_all, 5 * MB, 1) == 0);
}

TEST_CASE("copies between one GPU and the host have their time, and more GPUs may share the link") {
  Links links = tests::links();
  const auto estimate = [](double value) { return Estimate{value, Interval{value, value}}; };
  links.curves.push_back({ExchangeKind::host_to_device, 1, 1e9, {{0, estimate(10e-6), estimate(20e-12)}}});
  const ExchangeTime one = exchange_time({ExchangeKind::host_to_device, 5 * MB}, 1, links);
  CHECK(one.seconds == Approx(110 * us));
  CHECK(one.assumptions.empty());
  const ExchangeTime two = exchange_time({ExchangeKind::host_to_device, 5 * MB}, 2, links);
  CHECK(two.seconds == Approx(110 * us));
  CHECK(two.interval_s->high == Approx(210 * us));
  CHECK_THAT(two.assumptions.at(0), Contains("from 1 GPU") && Contains("one link to the host"));
  CHECK_THROWS_WITH(seconds(ExchangeKind::device_to_host, 5, 1, links),
                    Contains("device-to-host") && Contains("fathom calibrate `links=true`"));
}

namespace {

/// Those of tests::links(), and 4 GPUs of 2 hosts: 30 µs, and 20 µs per MB that leaves a GPU.
Links links_of_hosts(int hosts) {
  Links links = tests::links();
  const auto estimate = [](double value) { return Estimate{value, Interval{value, value}}; };
  for (const ExchangeKind kind : {ExchangeKind::all_to_all, ExchangeKind::all_gather})
    links.curves.push_back({.kind = kind,
                            .gpus = 4,
                            .most_bytes = 1e9,
                            .ranges = {{0, estimate(30e-6), estimate(20e-12)}},
                            .hosts = 2});
  links.hosts = hosts;
  return links;
}

}  // namespace

TEST_CASE("an exchange among GPUs of several hosts has the time that was measured") {
  const ExchangeTime time = exchange_time({ExchangeKind::all_to_all, 5 * MB}, 4, links_of_hosts(2));
  CHECK(time.seconds == Approx(130 * us));
  CHECK(time.assumptions.empty());
  // Those of one host know nothing of it.
  CHECK(seconds(ExchangeKind::all_to_all, 5 * MB, 4, links_of_hosts(1)) == Approx(48 * us));
}

TEST_CASE("bytes that leave a host take as long from other numbers of GPUs and hosts") {
  // Of an all-to-all among 4 GPUs of 2 hosts, two thirds of what leaves a GPU leave the host; among 8 of 4,
  // six sevenths; among 8 of 2, four sevenths.
  const ExchangeTime four = exchange_time({ExchangeKind::all_to_all, 7 * MB}, 8, links_of_hosts(4));
  CHECK(four.seconds == Approx((30 + 20 * 7 * (6. / 7) / (2. / 3)) * us));
  // One message after another: 7 for 3; and twice as many hosts share one network.
  CHECK(four.interval_s->high == Approx((30 * 7. / 3 + 2 * 20 * 9) * us));
  CHECK(four.interval_s->low == Approx(four.seconds));
  CHECK_THAT(four.assumptions.at(0),
             Contains("all-to-all among 8 GPUs of 4 hosts is extrapolated from 4 GPUs of 2 hosts"));
  CHECK(seconds(ExchangeKind::all_to_all, 7 * MB, 8, links_of_hosts(2)) == Approx((30 + 20 * 6) * us));
  // Parts are gathered in rings, which cross all hosts.
  CHECK(seconds(ExchangeKind::all_gather, 7 * MB, 8, links_of_hosts(4)) == Approx((30 + 20 * 7) * us));
}

TEST_CASE("bytes that stay in a host may take longer than those that leave it") {
  Links links = links_of_hosts(2);
  for (LinkCurve& curve : links.curves)
    if (curve.hosts > 1) curve.ranges[0].per_byte = {1e-12, Interval{1e-12, 1e-12}};
  // Of 7 MB that leave each of 8 GPUs 3 stay among the 4 of its host.
  CHECK(seconds(ExchangeKind::all_to_all, 7 * MB, 8, links) ==
        Approx(seconds(ExchangeKind::all_to_all, 3 * MB, 4)));
  // Of 16 GPUs there are 8 on a host, of which the time is extrapolated, and that is said, too.
  const ExchangeTime more = exchange_time({ExchangeKind::all_to_all, 15 * MB}, 16, links);
  CHECK(more.seconds == Approx(seconds(ExchangeKind::all_to_all, 7 * MB, 8)));
  CHECK_THAT(more.assumptions.at(0), Contains("among 16 GPUs of 2 hosts"));
  CHECK_THAT(more.assumptions.at(1), Contains("among 8 GPUs is extrapolated from 4 GPUs"));
}

TEST_CASE("of several hosts the nearest number is taken, and the nearest number of GPUs on it") {
  Links links = links_of_hosts(4);
  LinkCurve more = links.curves.back();
  more.gpus = 16;
  more.ranges[0].latency = {50e-6, Interval{50e-6, 50e-6}};
  links.curves.push_back(more);
  more.hosts = 16;
  more.ranges[0].latency = {90e-6, Interval{90e-6, 90e-6}};
  links.curves.push_back(more);
  CHECK(seconds(ExchangeKind::all_gather, 0, 8, links) == Approx(30 * us));
  CHECK(seconds(ExchangeKind::all_gather, 0, 32, links) == Approx(50 * us));
  links.hosts = 8;
  CHECK(seconds(ExchangeKind::all_gather, 0, 8, links) == Approx(90 * us));
}

TEST_CASE("exchanges among hosts of which nothing is known are refused, with the way out") {
  Links links = links_of_hosts(2);
  CHECK_THROWS_WITH(seconds(ExchangeKind::send_receive, 5, 4, links),
                    Contains("of several hosts") && Contains("`links_from`"));
  CHECK_THROWS_WITH(seconds(ExchangeKind::all_to_all, 5, 7, links),
                    Contains("7 GPUs cannot be divided evenly among 2 hosts"));
  CHECK_THROWS_WITH(seconds(ExchangeKind::host_to_device, 5, 2, links), Contains("on one host"));
  CHECK(seconds(ExchangeKind::all_to_all, 5, 1, links) == 0);
}

TEST_CASE("an exchange that cannot be priced is refused, with the way out") {
  CHECK_THROWS_AS(seconds(ExchangeKind::all_gather, 5, 2), MissingConstant);
  CHECK_THROWS_WITH(seconds(ExchangeKind::all_gather, 5, 2),
                    Contains("all-gather") && Contains("fathom calibrate `links=true`"));
  CHECK_THROWS_AS(seconds(ExchangeKind::all_to_all, 5, 0), std::invalid_argument);
  for (const double bytes : {-1.0, std::numeric_limits<double>::infinity()})
    CHECK_THROWS_AS(seconds(ExchangeKind::all_to_all, bytes, 2), std::invalid_argument);
  CHECK_THROWS_WITH(required_links(tests::complete_machine()),
                    Contains("'complete'") && Contains("fathom calibrate `links=true`"));
}

TEST_CASE("what leaves a GPU is the part of its array that others need") {
  CHECK(share_sent(ExchangeKind::peer_copy, 4) == 1);
  CHECK(share_sent(ExchangeKind::send_receive, 4) == 1);
  for (const ExchangeKind kind :
       {ExchangeKind::host_to_device, ExchangeKind::device_to_host, ExchangeKind::host_both_ways})
    CHECK(share_sent(kind, 1) == 1);
  CHECK(share_sent(ExchangeKind::all_to_all, 4) == 0.75);
  CHECK(share_sent(ExchangeKind::all_gather, 4) == 0.75);
  CHECK(share_sent(ExchangeKind::all_reduce, 2) == 1);
  CHECK(share_sent(ExchangeKind::all_reduce, 4) == 1.5);
}

TEST_CASE("names of exchanges and links are read back") {
  for (const ExchangeKind kind : all_exchange_kinds) CHECK(parse_exchange_kind(name(kind)) == kind);
  for (const LinkType type : all_link_types) CHECK(parse_link_type(name(type)) == type);
  CHECK_THROWS_WITH(parse_exchange_kind("broadcast"), Contains("'broadcast'") && Contains("all-reduce"));
  CHECK_THROWS_WITH(parse_link_type("rope"), Contains("'rope'") && Contains("nvlink, pcie, host"));
}

TEST_CASE("what if links had another bandwidth, or another latency?") {
  const auto all_to_all = [](const char* change, double bytes) {
    Machine<double> machine = tests::complete_machine();
    machine.links = tests::links();
    CHECK(apply(parse_what_if(change), machine).size() == 1);
    return seconds(ExchangeKind::all_to_all, bytes, 2, *machine.links);
  };
  // 5 MB: 16 µs if it were empty, 24 of its bytes.
  CHECK(all_to_all("link.bandwidth=2x", 5 * MB) == Approx(28 * us));
  CHECK(all_to_all("link.latency=0.5x", 5 * MB) == Approx(32 * us));
  CHECK(all_to_all("link.bandwidth=2x", 0) == Approx(16 * us));
  // Ranges still meet where they met.
  CHECK(all_to_all("link.bandwidth=2x", 0.9999999 * MB) == Approx(all_to_all("link.bandwidth=2x", 1 * MB)));
  CHECK(all_to_all("link.latency=2x", 0.9999999 * MB) == Approx(all_to_all("link.latency=2x", 1 * MB)));

  Machine<double> machine = tests::complete_machine();
  CHECK_THROWS_WITH(apply(parse_what_if("link.bandwidth=2x"), machine), Contains("nothing to change"));
  machine.links = tests::links();
  CHECK_THROWS_WITH(apply(parse_what_if("link.bandwidth=4e11"), machine), Contains("give a factor"));
  CHECK_THROWS_WITH(apply(parse_what_if("link.bandwidth=0x"), machine), Contains("impossible"));
}

TEST_CASE("what if the GPUs were on several hosts?") {
  Machine<double> machine = tests::complete_machine();
  CHECK_THROWS_WITH(apply(parse_what_if("link.hosts=2"), machine), Contains("nothing to change"));
  machine.links = links_of_hosts(1);
  apply(parse_what_if("link.hosts=2"), machine);
  CHECK(seconds(ExchangeKind::all_to_all, 5 * MB, 4, *machine.links) == Approx(130 * us));
  apply(parse_what_if("link.hosts=2x"), machine);  // of those two
  CHECK(machine.links->hosts == 4);
  CHECK_THROWS_WITH(apply(parse_what_if("link.hosts=0"), machine), Contains("impossible"));
}
