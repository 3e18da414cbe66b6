// SPDX-License-Identifier: Apache-2.0
// A self-contained HTML document, and the elements that its pages are made of.
#pragma once

#include <fathom/reports/figures.h>
#include <fathom/reports/text/table.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fathom::reports::page {

/// With style, script and the definitions that figures share. `title` is text; `body` is HTML.
std::string document(const std::string& title, const std::string& body);

// Elements. Texts are escaped; `content` is HTML.
std::string paragraph(std::string_view text, std::string_view css_class = "");
std::string bullets(const std::vector<std::string>& texts);  ///< empty for none
std::string heading(int level, std::string_view text);
/// What was measured or asked: terms without text are left out.
std::string definitions(const std::vector<std::pair<std::string, std::string>>& terms);
std::string missing(const Missing& what);
/// What to type, and what for.
std::string commands(const std::vector<std::pair<std::string, std::string>>& commands_and_uses);
enum class Printed { if_open, always };
enum class State { closed, open };
/// `id` is made with identifier(). `note` follows the title in the summary.
std::string details(std::string_view id, std::string_view title, std::string_view note,
                    const std::string& content, Printed printed = Printed::if_open,
                    State state = State::closed);

/// The first column's cells head their rows. With `link`, which gives the id of the element that a row is
/// about, they lead there; none for an empty id.
using RowLink = std::function<std::string(const std::vector<std::string>& row)>;
std::string table(std::string_view caption, const Table& table, const RowLink& link = {});

/// Draws figures one by one and says so. Without gnuplot it draws nothing.
class Artist {
 public:
  Artist(const Progress& progress, std::size_t figures);

  /// Empty if nothing can be drawn here.
  std::string figure(const FigureOrMissing& one);
  /// Side by side, with choices of their types and parameters.
  std::string figures(const std::vector<FigureOrMissing>& all);
  const std::optional<std::string>& why_not() const { return why_not_; }

 private:
  const Progress& progress_;
  std::size_t drawn_ = 0, count_;
  std::optional<std::string> why_not_ = why_not_drawn();
};

}  // namespace fathom::reports::page
