#include <fathom/reports/json.h>
#include <fathom/reports/text.h>

#include <memory>

#include "commands.h"
#include "output.h"

namespace fathom::cli {

void add_algorithms(CLI::App& fathom) {
  CLI::App* command =
      fathom.add_subcommand("algorithms", "The algorithms, with their kinds, types and parameters");
  command->footer("Example: fathom algorithms");
  auto output = std::make_shared<Output>();
  add_output_options(*command, *output);
  command->callback([output] {
    const Answer answer(*output);
    answer([] { return reports::text(algorithms()); }, [] { return reports::json(algorithms()); });
  });
}

}  // namespace fathom::cli
