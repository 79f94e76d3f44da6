// SPDX-License-Identifier: Apache-2.0
/// One kernel as `explain` sees it: what it reads and how, what it computes, what it saves. Independent of the target.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/access.hpp>
#include <inlay/plan/attention/schedules.hpp>
#include <inlay/plan/gemm/wgmma.hpp>

#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI {

/// Who reads or writes a tensor: an input expression, the epilogue alone, the frame itself; or it is a result.
enum class OperandKind { input, epilogue, weight, output };

/// A tensor a kernel reads or writes.
struct Operand {
    std::string name;           ///< "Buf<0>", "weight 0", "Store<0>"
    OperandKind kind = OperandKind::input;
    std::string extents;
    DType dtype = DType::f32;
    bool read = true;           ///< false: only its extents are
    AccessClass access_class = AccessClass::plain;    ///< how it can be reached
    std::string why;            ///< the view that decided it, empty where there is none
    index_t step = 1;           ///< elements from one value of a row to the next; 0: one value for a row, -1: uneven
    index_t run = 0;            ///< divides every number of elements that lie side by side
    index_t alignment = 0;      ///< divides every address, in elements, at which they start; 0: any
    index_t turned = 0;         ///< divides runs and addresses along another axis than the rows'; 0: nothing lies so
    double bytes = 0;           ///< moved, each distinct element once
    bool boxed = false;         ///< a copy engine brings it, where `KernelReport::wgmma` is not refused
};

/// An operation that a runtime without fusion would launch on its own.
struct Fusion {
    std::string kind;           ///< "Silu", "Concat", "Permuted"
    double bytes;               ///< its intermediate, written and read again
};

/// Softmax or a norm: `items` of [pixels, channels] each.
struct NormWork {
    index_t items = 0, pixels = 0, channels = 0;    ///< no items: the kernel is none; rows are items of one pixel
    int groups = 0;                                 ///< of channels; 0: whole rows
    int element = 0;                                ///< bytes of an input element as a GroupNorm keeps it
};

struct KernelReport {
    std::string layer;                  ///< set by the program
    std::string kernel, frame;          ///< the struct that was prepared; the frame's kind
    std::vector<std::string> inputs;    ///< expressions
    std::string epilogue, sink, extents;
    std::string schedule;               ///< the user's own; empty: the target's table chooses
    AccessClass access_class = AccessClass::plain;            ///< of the inputs together
    std::string why;                    ///< the operation that decided it
    int operations = 0, special = 0;    ///< of the inputs, per element
    std::vector<Operand> operands;
    std::vector<Fusion> fusions;
    index_t batch = 0, m = 0, n = 0, k = 0;  ///< of the matrix product, 0 without one
    index_t segments = 1;                    ///< that k is made of: the taps of a filter
    bool pairs = false;                      ///< whether a column has two sums: Out and OutGate
    bool evaluated = false;                  ///< whether the product's input is not only copied: `is_copied_of`
    bool streams = true;                     ///< whether weights are streamed where rows are few: `streams_weights`
    WgmmaGrid wgmma;                       ///< the product as sm_90a's engine has it; of attention only `refused`
    bool wgmma_types = false;               ///< whether types are such that this engine may take it
    AttentionWork attention;                 ///< d is 0 where the kernel is none
    NormWork norm;
    double flops = 0;
    DType dtype = DType::f32;           ///< of the first output
    DType multiplied = DType::f32;      ///< the type in which a GPU multiplies: `plan/access/product_type.hpp`
    bool converts = false;              ///< a GPU converts the weights of the product to it before

    /// Moved: every tensor once.
    double bytes() const {
        double b = 0;
        for (const Operand& o : operands) b += o.bytes;
        return b;
    }
    double saved() const {
        double b = 0;
        for (const Fusion& f : fusions) b += f.bytes;
        return b;
    }
    /// Launches of a runtime that fuses nothing.
    int unfused() const { return 1 + static_cast<int>(fusions.size()); }
    bool matrix() const { return m > 0; }
};

/// Adds the rung of an input expression.
template <class E>
void note_access_class(KernelReport& l) {
    if (access_class_of<E> <= l.access_class) return;
    l.access_class = access_class_of<E>;
    l.why = std::string(reason_of<E>());
}

}  // namespace inlay::inline INLAY_ABI
