#include <fathom/reports/html.h>

#include <fathom/core/escape.h>
#include <fathom/reports/figures/configurations.h>
#include <fathom/reports/figures/throughput.h>
#include <fathom/reports/quantities.h>
#include <fathom/reports/text.h>

#include <fmt/format.h>

#include <map>

namespace fathom::reports {
namespace {

constexpr const char* style = R"(
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #1c1c1c; background: #fff;
       max-width: 70rem; margin: 2rem auto; padding: 0 1.25rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 0 0 .25rem; }
h2 { font-size: 1.35rem; margin: 2.5rem 0 .75rem; padding-top: .75rem; border-top: 1px solid #d0d0d0; }
h3 { font-size: 1.05rem; margin: 1.5rem 0 .5rem; }
nav a { margin-right: 1rem; white-space: nowrap; }
a { color: #0059a0; }
code { font: .92em ui-monospace, "DejaVu Sans Mono", monospace; background: #f3f3f3; padding: .05em .3em; }
.scroll { overflow: auto; max-height: 36rem; }
table { border-collapse: collapse; margin: .75rem 0; font-size: .88rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .4rem; }
th, td { padding: .25rem .5rem; border-bottom: 1px solid #e2e2e2; text-align: left; vertical-align: baseline; }
th { border-bottom: 2px solid #888; }
td:nth-child(-n+2), td:last-child { white-space: nowrap; }
.right { text-align: right; white-space: nowrap; }
th.right { white-space: normal; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1.25rem; }
dt { color: #555; } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 1.25rem 0; break-inside: avoid; }
figure svg { width: 100%; height: auto; display: block; }
.missing { color: #444; background: #f7f7f7; border-left: 4px solid #999; padding: .5rem .9rem; }
.warning { border-left: 4px solid #D55E00; background: #fdf4ee; padding: .5rem .9rem; }
@media print {
  body { max-width: none; margin: 0; font-size: 10.5pt; }
  nav { display: none; }
  h2, h3 { break-after: avoid; }
  .scroll { overflow: visible; max-height: none; }
  table { font-size: 8pt; } th, td { padding: .15rem .35rem; } tr { break-inside: avoid; }
}
)";

std::string paragraph(std::string_view text, std::string_view css_class = "") {
  return css_class.empty() ? fmt::format("<p>{}</p>\n", for_html(text))
                           : fmt::format("<p class=\"{}\">{}</p>\n", css_class, for_html(text));
}

std::string missing(const Missing& what) {
  return fmt::format("<p class=\"missing\"><b>{}</b>: {}. To get it: <code>{}</code></p>\n",
                     for_html(what.figure), for_html(what.what), for_html(what.command));
}

std::string table(const std::string& caption, const Table& table) {
  const auto cell = [&](const char* tag, std::size_t column, const std::string& text) {
    const bool right = table.columns()[column].align == Align::right;
    const std::string_view scope = tag[1] == 'h' ? " scope=\"col\"" : "";
    return fmt::format("<{0}{1}{2}>{3}</{0}>", tag, scope, right ? " class=\"right\"" : "", for_html(text));
  };
  std::string out =
      fmt::format("<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr>", for_html(caption));
  for (std::size_t column = 0; column < table.columns().size(); ++column)
    out += cell("th", column, table.columns()[column].heading);
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : table.rows()) {
    out += "<tr>";
    for (std::size_t column = 0; column < row.size(); ++column) out += cell("td", column, row[column]);
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string table_or_missing(const std::string& caption, const Table& filled, const Missing& otherwise) {
  return filled.empty() ? missing(otherwise) : table(caption, filled);
}

/// Inline SVG needs no namespace declarations. Without them the file contains no URL.
std::string inline_svg(const Figure& figure) {
  std::string text = svg(figure);
  for (const std::string_view declaration :
       {" xmlns=\"http://www.w3.org/2000/svg\"", " xmlns:xlink=\"http://www.w3.org/1999/xlink\""})
    if (const std::size_t at = text.find(declaration); at != std::string::npos)
      text.erase(at, declaration.size());
  return text;
}

std::string figure_html(const FigureOrMissing& one) {
  if (const Missing* absent = std::get_if<Missing>(&one)) return missing(*absent);
  const Figure& figure = std::get<Figure>(one);
  return fmt::format("<figure>\n{}<figcaption>{}</figcaption>\n</figure>\n", inline_svg(figure),
                     for_html(figure.description));
}

/// The figures of a report. Each is drawn when it is asked for, which takes up to a second.
class Figures {
 public:
  Figures(const ReportInput& input, const Progress& progress) : progress_(progress) {
    for (FigureKind kind : all_figure_kinds()) count_ += (figures_[kind] = figures(input, kind)).size();
  }
  const std::vector<FigureOrMissing>& of(FigureKind kind) const { return figures_.at(kind); }

  std::string html(const FigureOrMissing& one) {
    if (progress_) progress_("drawing figures", drawn_, count_);
    ++drawn_;
    return figure_html(one);
  }
  std::string html(FigureKind kind) {
    std::string out;
    for (const FigureOrMissing& one : of(kind)) out += html(one);
    return out;
  }

 private:
  const Progress& progress_;
  std::map<FigureKind, std::vector<FigureOrMissing>> figures_;
  std::size_t drawn_ = 0, count_ = 0;
};

/// The tables of bottlenecks, by the id of the figure that shows all algorithms of that kind.
std::map<std::string, std::string> limits_by_figure(const ReportInput& input) {
  std::map<std::string, std::string> tables;
  if (input.comparisons.empty()) return tables;
  const LawComparison& compared = input.comparisons.front();
  const std::string_view shares = uses_work(compared.law)
                                      ? "Per cent of the predicted time: what each resource would take if "
                                        "nothing else took any. With the overlap they add up to 100 %."
                                      : "Per cent of the sum of all levels.";
  for (Kind kind : all_kinds) {
    const Table limits = limits_table(compared, kind, input.predictions);
    if (limits.empty()) continue;
    const std::string caption = fmt::format(
        "Bottlenecks of the {} algorithms under the law {}: the largest n measured at default parameters, "
        "u32",
        name(kind), name(compared.law));
    tables.emplace(algorithms_figure_id(std::string(name(kind)), "u32"),
                   table(caption, limits) + paragraph(shares));
  }
  return tables;
}

/// All algorithms of each kind in one figure, with the table of their bottlenecks below. The tables of kinds
/// without a figure come last.
std::string kinds(const ReportInput& input, Figures& drawn) {
  auto limits = limits_by_figure(input);
  std::string out;
  if (limits.empty())
    out += missing({"Bottlenecks", "no run at default parameters has a prediction", bench_sizes_command});
  for (const FigureOrMissing& one : drawn.of(FigureKind::algorithms)) {
    out += drawn.html(one);
    const Figure* figure = std::get_if<Figure>(&one);
    if (auto found = figure ? limits.extract(figure->id) : decltype(limits)::node_type{})
      out += found.mapped();
  }
  for (const auto& [id, table] : limits) out += table;
  return out;
}

std::string trade_off_section(const ReportInput& input, Figures& drawn) {
  std::string out = paragraph(
      "Each pair of figures varies one parameter and keeps the others fixed. Parameters that give a thread "
      "or "
      "a block more work use more registers or shared memory, so that fewer threads are resident. Some also "
      "change the number of bank conflicts. The published formulas account for shared memory only; the "
      "kernel's occupancy also depends on registers and on the limits of a multiprocessor.");
  for (const TradeOff& gpu : input.trade_offs)
    if (!gpu.predicted.empty()) out += paragraph(in_words(gpu));
  return out + drawn.html(FigureKind::tradeoff);
}

std::string summary(const ReportInput& input) {
  const Machine<double>& machine = input.profile.machine;
  const Provenance& from = input.profile.provenance;
  std::string out = "<dl>\n";
  const auto add = [&](std::string_view term, const std::string& text) {
    if (!text.empty()) out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, for_html(text));
  };
  add("GPU", from.gpu.empty() ? machine.name : from.gpu);
  add("Profile", fmt::format("{}, {}", input.profile.name, input.profile.origin));
  add("Cores", fmt::format("{} in {} multiprocessors of {}", machine.P(), machine.multiprocessors,
                           machine.cores_per_multiprocessor));
  add("Clock", hertz(machine.clock.value));
  add("Memory", bytes(machine.global_memory.value));
  add("L2", machine.l2_capacity ? bytes(machine.l2_capacity->value) : "");
  add("Driver", from.driver);
  add("CUDA toolkit", from.toolkit);
  add("Calibrated", from.date);
  add("Commit", from.commit);
  add("Command", from.command);
  for (const Dataset& dataset : input.datasets) {
    const Provenance& measured = dataset.provenance;
    add("Measured runs",
        fmt::format("{} on {}, {}: {}", dataset.runs.size(), measured.gpu, measured.date, measured.command));
  }
  add("Report date", input.date);
  out += "</dl>\n";
  for (const std::string& note : input.notes) out += paragraph(note);
  if (const std::string left_out = left_out_in_words(input.unpredicted); !left_out.empty())
    out += paragraph(left_out);
  for (const std::string& warning : input.profile.warnings) out += paragraph(warning, "warning");
  return out;
}

std::string errors(const ReportInput& input) {
  return table_or_missing("Relative error of the predicted time on runs not used in any fit",
                          error_table(input.comparisons),
                          {"Errors", "no measured runs to compare with", bench_sizes_command});
}

std::string regrets(const ReportInput& input) {
  return table_or_missing(
      "Slowdown of the predicted choice of parameters against the fastest measured",
      regret_table(input.comparisons),
      {"Regret", "no algorithm was measured with several parameter sets at the same n", bench_grid_command});
}

std::string saturation(const ReportInput& input, Figures& drawn) {
  const Missing no_constants{"Constants", "the profile has none", "fathom calibrate -o profile.json"};
  std::string out = table_or_missing("Constants of the memory levels with 95 % intervals",
                                     level_table(input.profile), no_constants);
  if (const Table other = other_constants_table(input.profile); !other.empty())
    out += table("Other constants", other);
  if (const Table fits = fit_table(input.profile.algorithms); !fits.empty())
    out += table("Constants of the algorithms, fitted to runs", fits);
  return out + drawn.html(FigureKind::saturation) + drawn.html(FigureKind::footprint) +
         drawn.html(FigureKind::conflicts);
}

std::string counting(const ReportInput& input, Figures& drawn) {
  std::string out = paragraph(
      "Accesses of the kernels, counted by running their source on the CPU, in 32-bit words per level, idle "
      "lanes included. Comments in the source of each formula explain ratios that differ from 1 by more than "
      "5 %.");
  out += table_or_missing("Counted accesses against the formulas", audit_table(input.counts),
                          {"Audit", "nothing was counted", "fathom count --audit -n 2^16"});
  return out + drawn.html(FigureKind::machines);
}

struct Section {
  const char* id;
  const char* title;
  std::string content;
};

}  // namespace

std::string html_report(const ReportInput& input, const Progress& progress) {
  Figures drawn(input, progress);
  const Section sections[] = {
      {"summary", "Summary", summary(input)},
      {"throughput", "Throughput", kinds(input, drawn) + drawn.html(FigureKind::throughput)},
      {"inputs", "Inputs and types", drawn.html(FigureKind::inputs) + drawn.html(FigureKind::types)},
      {"errors", "Errors", errors(input)},
      {"parity", "Predicted against measured", drawn.html(FigureKind::parity)},
      {"sweeps", "Parameters", drawn.html(FigureKind::sweep)},
      {"tradeoff", "Trade-offs of parameters", trade_off_section(input, drawn)},
      {"regret", "Regret", regrets(input)},
      {"machine", "Machine: saturation", saturation(input, drawn)},
      {"terms", "Where the time goes", drawn.html(FigureKind::terms)},
      {"counts", "Counts", counting(input, drawn)}};
  const std::string title = fmt::format("Fathom: {}", for_html(input.profile.name));
  std::string out = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0}</title>\n"
      "<style>{1}</style>\n</head>\n<body>\n<header><h1>{0}</h1>\n<p>Predicted against measured.</p>\n"
      "<nav aria-label=\"Sections\">",
      title, style);
  for (const Section& section : sections)
    out += fmt::format("<a href=\"#{}\">{}</a> ", section.id, section.title);
  out += "</nav></header>\n<main>\n";
  for (const Section& section : sections)
    out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", section.id, section.title,
                       section.content);
  return out + "</main>\n</body>\n</html>\n";
}

}  // namespace fathom::reports
