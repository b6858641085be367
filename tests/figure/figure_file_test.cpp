// What a definition says, and what is wrong with one that says something else.

#include "figure_file.hpp"
#include "figure_points.hpp"
#include "json_text.hpp"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace leat::cli {

namespace {

using nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;

const std::map<std::string, document> documents = {{"thesis", {"A thesis", {{"sim spc", "--clock"}}, {}}}};

ordered_json sound() {
  return ordered_json::parse(R"({
    "document": "thesis", "title": "SPC", "says": "It scales.", "command": "sim spc --machine opteron-4x12",
    "rows": {"name": "task", "values": [{"label": "10 us", "words": "--us 10 --tasks 100", "quick": "--tasks 5"}, {"label": "1 us", "words": "--us 1"}]},
    "columns": {"words": "--steal {}", "values": ["one", "half"]},
    "x": {"name": "threads", "words": "--workers {}", "values": ["2", "4"]},
    "seeds": 2,
    "quick": {"x": ["4"], "words": "--us 3"},
    "quantities": [{"name": "speed-up", "is": "/speedup", "published": {"10 us": {"one": {"4": 3.5}, "Cilk": {"4": 3}}}}],
    "criteria": [{"kind": "order", "this": {"column": "half"}, "that": {"column": "one"}}]
  })");
}

figure read(const ordered_json& json) { return read_figure("thesis-9.9", json.dump(), documents, "a.json"); }

// The message about a definition with this change.
std::string message_about(const std::string& pointer, const ordered_json& value) {
  ordered_json json = sound();
  json[ordered_json::json_pointer(pointer)] = value;
  try {
    static_cast<void>(read(json));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no message";
}

std::string message_without(const char* member) {
  ordered_json json = sound();
  json.erase(member);
  try {
    static_cast<void>(read(json));
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "no message";
}

}  // namespace

TEST(definitions, have_a_command_for_each_cell_and_seed) {
  const figure f = read(sound());
  const auto commands = commands_of(f, documents.at("thesis"), false);
  EXPECT_EQ(commands.size(), 2U * 2 * 2 * 2);
  EXPECT_EQ(commands.front().text(),
            "sim spc --machine opteron-4x12 --us 10 --tasks 100 --steal one --workers 2 --clock --seed 1 --json");
  EXPECT_EQ(commands.back().text(),
            "sim spc --machine opteron-4x12 --us 1 --steal half --workers 4 --clock --seed 2 --json");
}

TEST(definitions, may_have_a_column_for_some_rows_alone) {
  ordered_json json = sound();
  json["columns"]["values"] = {"one", {{"label", "half"}, {"rows", {"1 us"}}}};
  const figure f = read(json);
  const auto commands = commands_of(f, documents.at("thesis"), false);
  EXPECT_EQ(commands.size(), 3U * 2 * 2);
  for (const command_words& command : commands)
    EXPECT_FALSE(command.text().find("--steal half") != std::string::npos &&
                 command.text().find("--us 10") != std::string::npos);
  EXPECT_THAT(message_about("/columns/values", {"one", {{"label", "half"}, {"rows", {"2 us"}}}}),
              HasSubstr("'half': there is no row '2 us'"));
}

TEST(definitions, are_smaller_in_a_quick_run) {
  const figure f = quick_figure(read(sound()));
  const auto commands = commands_of(f, documents.at("thesis"), true);
  ASSERT_EQ(commands.size(), 4U);
  EXPECT_EQ(commands.front().text(),
            "sim spc --machine opteron-4x12 --us 3 --tasks 5 --steal one --workers 4 --clock --seed 1 --json");
}

TEST(definitions, give_numbers_over_the_seeds) {
  const figure f = read(sound());
  const auto printed = [](const command_words& c) -> const ordered_json* {
    static const ordered_json slow = {{"speedup", 2.0}}, fast = {{"speedup", 4.0}};
    return c.values_of("--seed").front() == "1" ? &slow : &fast;
  };
  const figure_numbers n(f, documents.at("thesis"), false, printed);
  const auto number = n.at("speed-up", {"10 us", "one", "2"});
  ASSERT_TRUE(number);
  EXPECT_EQ(number->median, 3);
  EXPECT_EQ(number->least, 2);
  EXPECT_EQ(number->most, 4);
  EXPECT_EQ(f.quantities.front().published_at("10 us", "one", "4"), 3.5);
  EXPECT_EQ(f.quantities.front().published_at("10 us", "one", "2"), std::nullopt);
}

TEST(definitions, may_have_samples_in_place_of_seeds) {
  ordered_json json = sound();
  json.erase("seeds");
  json["samples"] = {"--lines 1", "--lines 2", "--lines 4"};
  const figure f = read(json);
  const auto commands = commands_of(f, documents.at("thesis"), false);
  ASSERT_EQ(commands.size(), 2U * 2 * 2 * 3);
  EXPECT_EQ(
      commands[1].text(),
      "sim spc --machine opteron-4x12 --us 10 --tasks 100 --steal one --workers 2 --clock --lines 2 --seed 1 --json");
  ordered_json answer = {{"speedup", 0.0}};
  const auto printed = [&answer](const command_words& c) -> const ordered_json* {
    answer["speedup"] = std::stod(c.values_of("--lines").front());
    return &answer;
  };
  const auto number = figure_numbers(f, documents.at("thesis"), false, printed).at("speed-up", {"1 us", "half", "4"});
  ASSERT_TRUE(number);
  EXPECT_EQ(number->median, 2);
  EXPECT_EQ(number->most, 4);
  EXPECT_EQ(commands_of(quick_figure(f), documents.at("thesis"), true).size(), 4U) << "the first sample alone";
  EXPECT_THAT(message_about("/samples", {"--lines 1"}),
              HasSubstr("samples = [\"--lines 1\"]: must not stand beside 'seeds'"));
  json["samples"] = ordered_json::array();
  EXPECT_THROW(static_cast<void>(read(json)), std::invalid_argument);
}

TEST(definitions, divide_by_another_place_and_by_another_column) {
  ordered_json json = sound();
  json["quantities"][0]["over"] = "/serial";
  json["quantities"][0]["times"] = 10;
  json["quantities"][0]["against"] = "one";
  const auto printed = [](const command_words& c) -> const ordered_json* {
    static const ordered_json one = {{"speedup", 4}, {"serial", 2}}, half = {{"speedup", 9}, {"serial", 3}};
    return c.values_of("--steal").front() == "one" ? &one : &half;
  };
  const figure f = read(json);
  const figure_numbers n(f, documents.at("thesis"), false, printed);
  EXPECT_EQ(n.at("speed-up", {"1 us", "half", "2"})->median, 1.5);
  EXPECT_EQ(n.at("speed-up", {"1 us", "one", "2"})->median, 1);
}

TEST(definitions, take_one_place_off_another) {
  ordered_json json = sound();
  json["quantities"][0]["minus"] = "/alone";
  json["quantities"][0]["over"] = "/speedup";
  const auto printed = [](const command_words&) -> const ordered_json* {
    static const ordered_json both = {{"speedup", 8}, {"alone", 2}};
    return &both;
  };
  const figure f = read(json);
  const figure_numbers n(f, documents.at("thesis"), false, printed);
  EXPECT_EQ(n.at("speed-up", {"1 us", "half", "2"})->median, 0.75);
  EXPECT_THAT(message_about("/quantities/0/minus", "alone"), HasSubstr("must be a JSON pointer"));
}

TEST(definitions, divide_by_a_place_on_the_x_axis) {
  ordered_json json = sound();
  json["quantities"][0]["against_x"] = "2";
  const auto printed = [](const command_words& c) -> const ordered_json* {
    static const ordered_json two = {{"speedup", 2}}, four = {{"speedup", 3}};
    return c.values_of("--workers").front() == "2" ? &two : &four;
  };
  const figure f = read(json);
  const figure_numbers n(f, documents.at("thesis"), false, printed);
  EXPECT_EQ(n.at("speed-up", {"1 us", "half", "4"})->median, 1.5);
  EXPECT_EQ(n.at("speed-up", {"1 us", "half", "2"})->median, 1);
  const figure_numbers quick(quick_figure(f), documents.at("thesis"), true, printed);  // without that place
  EXPECT_FALSE(quick.at("speed-up", {"1 us", "half", "4"}));
  EXPECT_THAT(message_about("/quantities/0/against_x", "3"), HasSubstr("must be a label on the x-axis"));
}

TEST(definitions, may_have_the_column_in_a_pointer) {
  ordered_json json = sound();
  json["quantities"][0]["is"] = "/all/name={}/n";
  const auto printed = [](const command_words&) -> const ordered_json* {
    static const ordered_json both =
        ordered_json::parse(R"({"all": [{"name": "half", "n": 2}, {"name": "one", "n": 1}]})");
    return &both;
  };
  const figure f = read(json);
  const figure_numbers n(f, documents.at("thesis"), false, printed);
  EXPECT_EQ(n.at("speed-up", {"1 us", "one", "2"})->median, 1);
  EXPECT_EQ(n.at("speed-up", {"1 us", "half", "2"})->median, 2);
}

TEST(definitions, name_the_place_that_an_output_lacks) {
  const figure f = read(sound());
  const ordered_json empty = ordered_json::object();
  const auto printed = [&empty](const command_words&) { return &empty; };
  try {
    const figure_numbers n(f, documents.at("thesis"), false, printed);
    FAIL() << "no message";
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("thesis-9.9: there is no number at /speedup in what 'leat sim spc"));
  }
}

TEST(definitions, that_are_wrong_are_named_by_file_and_member) {
  EXPECT_THAT(message_without("title"), HasSubstr("a.json: title: is missing"));
  EXPECT_THAT(message_without("quantities"), HasSubstr("a.json: quantities: is missing"));
  EXPECT_THAT(message_about("/frobnicate", 1), HasSubstr("a.json: frobnicate = 1: no such member"));
  EXPECT_THAT(message_about("/title", 3), HasSubstr("a.json: title = 3: must be text"));
  EXPECT_THAT(message_about("/document", "novel"), HasSubstr("a.json: document = \"novel\": there is none"));
  EXPECT_THAT(message_about("/command", "rm -r"), HasSubstr("a.json: command = \"rm -r\": must begin with sim"));
  EXPECT_THAT(message_about("/seeds", 0), HasSubstr("a.json: seeds = 0: must be between 1 and 100"));
  EXPECT_THAT(message_about("/picture", "pie"), HasSubstr("a.json: picture = \"pie\": must be one of"));
  EXPECT_THAT(message_about("/rows/values/0/label", ""),
              HasSubstr("a.json: rows/values/0/label = \"\": must not be empty"));
  EXPECT_THAT(message_about("/rows/values/1/label", "10 us"), HasSubstr("has '10 us' twice"));
  EXPECT_THAT(message_about("/quantities/0/is", "speedup"),
              HasSubstr("a.json: quantities/0/is = \"speedup\": must be a JSON pointer"));
  EXPECT_THAT(message_about("/quantities/0/published/5 us", ordered_json::object()),
              HasSubstr("there is no row '5 us'"));
  EXPECT_THAT(message_about("/quick/x/0", "7"), HasSubstr("a.json: quick/x = [\"7\"]: there is no '7' on that axis"));
}

TEST(definitions, take_seeds_in_worlds_alone) {
  EXPECT_THAT(message_about("/command", "bench fib"),
              HasSubstr("a.json: seeds = 2: only worlds of leat sim have seeds"));
}

TEST(definitions, have_criteria_that_can_be_judged) {
  const auto about = [](const char* member, const ordered_json& value) {
    return message_about(std::string("/criteria/0/") + member, value);
  };
  EXPECT_THAT(about("kind", "taste"), HasSubstr("a.json: criteria/0/kind = \"taste\": must be one of order, level"));
  EXPECT_THAT(about("that", {{"row", "1 us"}}), HasSubstr("criteria/0/that = {\"row\":\"1 us\"}: must name the same"));
  EXPECT_THAT(about("that", {{"column", "half"}}), HasSubstr("must be another cell than 'this'"));
  EXPECT_THAT(about("this", {{"column", "two"}}), HasSubstr("criteria/0/this/column = \"two\": there is no 'two'"));
  EXPECT_THAT(about("quantity", "heat"), HasSubstr("must be the name of a quantity"));
  EXPECT_THAT(about("factor", 0), HasSubstr("criteria/0/factor = 0: must be more than 0"));
  EXPECT_THAT(about("share", 1.5), HasSubstr("criteria/0/share = 1.5: must be more than 0, and 1 at most"));
  EXPECT_THAT(about("least", 1), HasSubstr("criteria/0/least = 1: no such member"));
  EXPECT_THAT(message_about("/criteria/0", {{"kind", "level"}, {"this", {{"x", "2"}}}, {"that", {{"x", "4"}}}}),
              HasSubstr("criteria/0/factor: must be there, and more than 1"));
  EXPECT_THAT(message_about("/criteria/0", {{"kind", "range"}}),
              HasSubstr("criteria/0/least: or 'most' must be there"));
}

TEST(pointers, lead_through_members_indices_and_names) {
  const ordered_json json = ordered_json::parse(R"({"all": [{"name": "a", "n": 1}, {"name": "b", "n": 2}], "n": 3})");
  EXPECT_EQ(*value_at(json, "/n"), 3);
  EXPECT_EQ(*value_at(json, "/all/0/n"), 1);
  EXPECT_EQ(*value_at(json, "/all/name=b/n"), 2);
  for (const char* const nowhere : {"/m", "/all/2/n", "/all/name=c/n", "/all/x/n", "/n/n"})
    EXPECT_EQ(value_at(json, nowhere), nullptr) << nowhere;
}

}  // namespace leat::cli
