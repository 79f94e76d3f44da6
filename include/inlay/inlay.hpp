// SPDX-License-Identifier: Apache-2.0
/// Inlay: fusion expressions as types, instantiated straight into kernels. This one include brings the expressions, the
/// sinks, the frames, `prepare` and the executor of the compiler in use; not layers, models, files or the oracle.
#pragma once

#include <inlay/exec/pages.hpp>
#include <inlay/exec/prepare.hpp>
#include <inlay/exec/targets.hpp>
#include <inlay/exec/tensor.hpp>
#include <inlay/expr/binary.hpp>
#include <inlay/expr/bind.hpp>
#include <inlay/expr/eval.hpp>
#include <inlay/expr/leaf.hpp>
#include <inlay/expr/print.hpp>
#include <inlay/expr/sink.hpp>
#include <inlay/expr/sink/partition.hpp>
#include <inlay/expr/sink/permuted.hpp>
#include <inlay/expr/sink/scatter.hpp>
#include <inlay/expr/sink/split_last.hpp>
#include <inlay/expr/sink/store.hpp>
#include <inlay/expr/sink/strided.hpp>
#include <inlay/expr/sink/with_row_stats.hpp>
#include <inlay/expr/sink/with_stats.hpp>
#include <inlay/expr/slots.hpp>
#include <inlay/expr/ternary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/expr/view/broadcast.hpp>
#include <inlay/expr/view/concat.hpp>
#include <inlay/expr/view/dilate.hpp>
#include <inlay/expr/view/gather.hpp>
#include <inlay/expr/view/im2col.hpp>
#include <inlay/expr/view/pad.hpp>
#include <inlay/expr/view/paged.hpp>
#include <inlay/expr/view/permute.hpp>
#include <inlay/expr/view/published.hpp>
#include <inlay/expr/view/reshape.hpp>
#include <inlay/expr/view/slice.hpp>
#include <inlay/expr/view/upsample.hpp>
#include <inlay/frame/attention.hpp>
#include <inlay/frame/conv2d.hpp>
#include <inlay/frame/conv_transpose2d.hpp>
#include <inlay/frame/elementwise.hpp>
#include <inlay/frame/linear.hpp>
#include <inlay/frame/norm.hpp>
#include <inlay/frame/reduce.hpp>
#include <inlay/frame/softmax.hpp>
#include <inlay/frame/upsampled_conv2d.hpp>
#include <inlay/version.hpp>
