// The block contract: everything a kernel may use. See docs/kernels.md. (Being written.)
#pragma once
