// SPDX-License-Identifier: Apache-2.0
// The formulas of all algorithms, one file per algorithm in formulas/.
#pragma once

#include <fathom/model/descriptor.h>

namespace fathom::formulas {

Formula sort_pairwise();
Formula sort_bitonic();
Formula sort_warp();
Formula sort_kway();
Formula sort_multiway();
Formula sort_mms();
Formula radix_lsd();
Formula radix_tiled();
Formula radix_single();
Formula radix_onesweep();
Formula radix_msd();
Formula radix_msd_recursive();
Formula sort_splitter();
Formula sort_splitter_deterministic();
Formula scan_naive();
Formula scan_interval();
Formula scan_sequential();
Formula scan_matrix();
Formula scan_lookback();
Formula reduce_halving();
Formula reduce_tree();
Formula reduce_cascading();
Formula reduce_pipeline();
Formula reduce_matrix();
Formula reduce_vector();

}  // namespace fathom::formulas
