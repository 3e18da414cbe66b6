// Launches a test's kernel on the counting executor.
#pragma once

#include <fathom/device/counting/counting_executor.h>

template <class Kernel>
void launch(fathom::CountingExecutor& executor, const Kernel& kernel, fathom::BlockShape shape,
            fathom::Index blocks) {
  executor.launch(*executor.prepare<Kernel>(shape), blocks, kernel);
}
