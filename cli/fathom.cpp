// SPDX-License-Identifier: Apache-2.0
#include <fathom/cli/main.h>

int main(int count, char** values) {
  return fathom::cli::main(count, values);
}
