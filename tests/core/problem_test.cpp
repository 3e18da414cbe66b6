// SPDX-License-Identifier: Apache-2.0
#include <fathom/core/problem.h>

#include <catch2/catch.hpp>
#include <set>

using namespace fathom;

TEST_CASE("parsing inverts name()") {
  for (Kind kind : all_kinds) CHECK(parse_kind(name(kind)) == kind);
  for (Order order : {Order::ascending, Order::descending}) CHECK(parse_order(name(order)) == order);
  std::set<std::string> inputs;
  for (Input input : all_inputs) {
    CHECK(parse_input(name(input)) == input);
    CHECK(input_names().find(name(input)) != std::string::npos);
    inputs.insert(name(input));
  }
  CHECK(inputs.size() == 8);
  for (const char* text : {"sortedness=0", "sortedness=0.25", "entropy=0.1", "entropy=1"})
    CHECK(name(parse_input(text)) == text);
  CHECK(parse_input("entropy=0.5") == Input{Input::entropy, 0.5});
  CHECK(parse_input("entropy=0.5") != parse_input("entropy=0.25"));
  std::set<std::string_view> types;
  for (ElementType type : element_types(ElementTypes{})) {
    CHECK(parse_element_type(name(type)) == type);
    types.insert(name(type));
  }
  CHECK(types.size() == 9);
  CHECK(name(Input::nearly_sorted) == "nearly-sorted");
  CHECK(name(element_type_of<Point>) == "point");
  CHECK(name(element_type_of<u64>) == "u64");
}

TEST_CASE("an unknown name is rejected with the list of known ones") {
  CHECK_THROWS_WITH(
      parse_kind("Sort"),
      "unknown kind of problem 'Sort': did you mean 'sort'? (sort, segmented-sort, scan, reduce, other)");
  CHECK_THROWS_WITH(parse_order("descend"),
                    "unknown order 'descend': did you mean 'descending'? (ascending, descending)");
  CHECK_THROWS_WITH(parse_input("zip"),
                    Catch::Contains("did you mean 'zipf'?") && Catch::Contains(input_names()));
  for (const char* text : {"sortedness", "sortedness=", "sortedness=1.01", "sortedness=-0.1", "sortedness=x",
                           "sortedness=nan", "sortedness=0.5x", "sortednes=0.5"}) {
    CAPTURE(text);
    CHECK_THROWS_WITH(parse_input(text), Catch::Contains("sortedness=X"));
  }
  CHECK_THROWS_WITH(parse_element_type("u16"), Catch::Contains("u32, u64, i32, i64, f32, f64"));
  for (const char* text : {"", "u32:", ":u32", "u32:u32:u32", "u32 "}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_type_text(text), std::invalid_argument);
  }
}

TEST_CASE("a type text names the types of keys and values") {
  Problem problem;
  problem.type = ElementType::u64;
  CHECK(type_text(problem) == "u64");
  CHECK(problem.bytes_per_element() == 8);
  CHECK(parse_type_text("u64").key == ElementType::u64);
  CHECK_FALSE(parse_type_text("u64").value);
  problem.value_type = ElementType::u32;
  CHECK(type_text(problem) == "u64:u32");
  CHECK(problem.bytes_per_element() == 12);
  CHECK(parse_type_text("u64:u32").key == ElementType::u64);
  CHECK(parse_type_text("u64:u32").value == ElementType::u32);
}

TEST_CASE("element sizes are those of the types") {
  CHECK(size_in_bytes(ElementType::u32) == 4);
  CHECK(size_in_bytes(ElementType::f64) == 8);
  CHECK(size_in_bytes(ElementType::pair) == 8);
  CHECK(words(ElementType::rational) == 2);
  for (ElementType type : element_types(ElementTypes{}))
    CHECK(with_element_type(ElementTypes{}, type, []<class T>(std::type_identity<T>) {
            return int(sizeof(T));
          }) == size_in_bytes(type));
  CHECK_THROWS_WITH(with_element_type(Types<u32, u64>{}, ElementType::f32, [](auto) { return 0; }),
                    Catch::Contains("no kernel for the type f32"));
}

TEST_CASE("parameters are accessed by name") {
  Parameters parameters{{"E", 17}, {"t", 256}};
  CHECK(parameters.at("t") == 256);
  CHECK(parameters.contains("E"));
  CHECK_FALSE(parameters.contains("e"));
  CHECK_THROWS_WITH(parameters.at("alpha"), Catch::Contains("'alpha'"));
  parameters.set("t", 128);
  parameters.set("K", 4);
  CHECK(parameters == Parameters{{"E", 17}, {"t", 128}, {"K", 4}});
  const std::vector<ParameterInfo> infos{{"E", "elements per thread", consecutive(3, 5), 4},
                                         {"t", "threads per block", {64, 128}, 128}};
  CHECK(infos[0].values == std::vector{3, 4, 5});
  CHECK(default_parameters(infos) == Parameters{{"E", 4}, {"t", 128}});
}
