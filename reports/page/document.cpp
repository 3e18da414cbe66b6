// SPDX-License-Identifier: Apache-2.0
#include <fathom/reports/page/document.h>

#include <fathom/core/text/escape.h>
#include <fathom/device/executor.h>
#include <fathom/reports/page/figure.h>

#include <fmt/format.h>

#include <regex>
#include <span>
#include <stdexcept>

namespace fathom {
std::span<const HeaderText> page_texts();  // of style.css and script.js, embedded by the build
}

namespace fathom::reports::page {
namespace {

/// The text of a cell, whose lines break between parameters, not within "E = 17".
std::string cell(const std::string& text) {
  static const std::regex equals(" = ");
  return std::regex_replace(for_html(text), equals, "\u00a0=\u00a0");
}

std::string_view embedded(std::string_view file) {
  for (const auto& [name, text] : page_texts())
    if (std::string_view(name).ends_with(file)) return text;
  throw std::logic_error(fmt::format("{} is not embedded", file));
}

/// The classes that align the left columns: see style.css.
std::string left_columns(const Table& table) {
  std::string classes;
  for (std::size_t k = 0; k < table.columns().size(); ++k)
    if (table.columns()[k].align == Align::left)
      classes += fmt::format("{}l{}", classes.empty() ? "" : " ", k + 1);
  return classes;
}

std::string row_head(const std::vector<std::string>& row, const RowLink& link) {
  const std::string id = link ? link(row) : "";
  const std::string text = for_html(row.front());
  return id.empty() ? text : fmt::format("<a href=\"#{}\">{}</a>", id, text);
}

}  // namespace

std::string document(const std::string& title, const std::string& body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{}</title>\n"
      "<style>\n{}</style>\n</head>\n<body>\n{}{}<script>\n{}</script>\n</body>\n</html>\n",
      for_html(title), embedded("style.css"), shared_definitions(), body, embedded("script.js"));
}

std::string paragraph(std::string_view text, std::string_view css_class) {
  return css_class.empty() ? fmt::format("<p>{}</p>\n", for_html(text))
                           : fmt::format("<p class=\"{}\">{}</p>\n", css_class, for_html(text));
}

std::string bullets(const std::vector<std::string>& texts) {
  if (texts.empty()) return "";
  std::string out = "<ul class=\"answers\">\n";
  for (const std::string& text : texts) out += fmt::format("<li>{}</li>\n", for_html(text));
  return out + "</ul>\n";
}

std::string heading(int level, std::string_view text) {
  return fmt::format("<h{0}>{1}</h{0}>\n", level, for_html(text));
}

std::string definitions(const std::vector<std::pair<std::string, std::string>>& terms) {
  std::string out = "<dl>\n";
  for (const auto& [term, text] : terms)
    if (!text.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", for_html(term), for_html(text));
  return out + "</dl>\n";
}

std::string missing(const Missing& what) {
  return fmt::format("<p class=\"missing\"><b>{}</b>: {}. To get it: <code>{}</code></p>\n",
                     for_html(what.figure), for_html(what.what), for_html(what.command));
}

std::string commands(const std::vector<std::pair<std::string, std::string>>& commands_and_uses) {
  std::string out = "<dl class=\"commands\">\n";
  for (const auto& [command, use] : commands_and_uses)
    out += fmt::format("<dt><code>{}</code></dt><dd>{}</dd>\n", for_html(command), for_html(use));
  return out + "</dl>\n";
}

std::string details(std::string_view id, std::string_view title, std::string_view note,
                    const std::string& content, Printed printed, State state) {
  const std::string beside = note.empty() ? "" : fmt::format(" <span>{}</span>", for_html(note));
  return fmt::format(
      "<details id=\"{}\"{}{}>\n<summary>{}{}</summary>\n<div class=\"inside\">\n{}</div>\n</details>\n", id,
      printed == Printed::always ? " class=\"printed\"" : "", state == State::open ? " open=\"\"" : "",
      for_html(title), beside, content);
}

std::string table(std::string_view caption, const Table& table, const RowLink& link) {
  // Scrolled by the keyboard, too: hence a region with a name and a place in the order of focus.
  std::string out = fmt::format(
      "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table "
      "class=\"{1}\">\n<caption>{0}</caption>\n<thead><tr>",
      for_html(caption), left_columns(table));
  for (const Table::Column& column : table.columns())
    out += fmt::format("<th scope=\"col\">{}</th>", for_html(column.heading));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows()) {
    out += fmt::format("<tr><th scope=\"row\">{}</th>", row_head(row, link));
    for (std::size_t column = 1; column < row.size(); ++column)
      out += fmt::format("<td>{}</td>", cell(row[column]));
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

Artist::Artist(const Progress& progress, std::size_t figures) : progress_(progress), count_(figures) {}

std::string Artist::figure(const FigureOrMissing& one) {
  if (const Missing* absent = std::get_if<Missing>(&one)) return missing(*absent);
  if (why_not_) return "";
  if (progress_) progress_("drawing figures", drawn_, count_);
  ++drawn_;
  return figure_element(std::get<Figure>(one));
}

std::string Artist::figures(const std::vector<FigureOrMissing>& all) {
  std::string drawn, absent;
  for (const FigureOrMissing& one : all)
    (std::holds_alternative<Figure>(one) ? drawn : absent) += figure(one);
  return (drawn.empty() ? "" : "<div class=\"figures\">\n" + drawn + "</div>\n") + absent;
}

}  // namespace fathom::reports::page
