// SPDX-License-Identifier: Apache-2.0
/// The report of one kernel for `explain`: its operands and their access, its operations, its savings. Independent of
/// the target.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/access.hpp>
#include <inlay/plan/attention/problem.hpp>
#include <inlay/plan/elementwise.hpp>
#include <inlay/plan/gemm/problem.hpp>
#include <inlay/plan/norm/problem.hpp>
#include <inlay/plan/reduce/problem.hpp>
#include <inlay/report/attention/block_counts.hpp>

#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI {

/// The reader of a tensor: an input expression, the epilogue alone, the score or row of an attention alone, or the frame
/// itself; or it is a result.
enum class OperandKind { input, epilogue, score, weight, output };

/// A tensor a kernel reads or writes.
struct Operand {
    std::string name;           ///< "Buf<0>", "weight 0", "Store<0>"
    OperandKind kind = OperandKind::input;
    std::string extents;
    DType dtype = DType::f32;
    bool read = true;           ///< false: only its extents are
    AccessClass access_class = AccessClass::plain;    ///< the class by which it can be read
    std::string why;            ///< the view that determined it, empty if there is none
    index_t step = 1;           ///< elements from one value of a row to the next; 0: one value for a row, -1: uneven
    index_t run = 0;            ///< divides every number of elements that lie side by side
    index_t alignment = 0;      ///< divides every address, in elements, at which they start; 0: any
    index_t turned = 0;         ///< divides runs and addresses along another axis than the rows'; 0: nothing lies so
    double bytes = 0;           ///< moved, each distinct element once
    bool paged = false;         ///< pages of it are copied as a table names them, where copies take the rest
    bool held = false;          ///< in fp8, it is loaded as it lies and computed with later
    bool key = false;           ///< keys or values, which a copy engine brings to a decision with boxes
    bool boxed = false;         ///< a copy engine brings it, where sm_90a's engine runs the kernel
};

/// An operation that a runtime without fusion would launch on its own.
struct Fusion {
    std::string kind;           ///< "Silu", "Concat", "Permuted"
    double bytes;               ///< its intermediate, written and read again
};

/// The mathematics of an attention in text: what is not that of softmax over all keys.
struct AttentionMathematics {
    std::string score;          ///< over Q·K; empty where it is Q·K / √D, or Q·K as an exponent of 2
    std::string keys;           ///< of a query, as intervals; empty where it sees all of them
    std::string computed;       ///< terms of the condition that are computed at each score of a partial block
    std::string row;            ///< the recurrence, a line each; empty of softmax
    BlockCounts (*blocks)(const AttentionShape&, const AttentionTile&) = nullptr;   ///< null where slots decide
};

struct KernelReport {
    std::string layer;                  ///< set by the program
    std::string kernel, frame;          ///< the struct that was prepared; the frame's kind
    std::vector<std::string> inputs;    ///< expressions
    std::string epilogue, sink, extents;
    std::string schedule;               ///< the user's own; empty: the target's table chooses
    AccessClass access_class = AccessClass::plain;            ///< of the inputs together
    std::string why;                    ///< the operation that determined it
    int operations = 0, special = 0;    ///< of the inputs, per element
    std::vector<Operand> operands;
    std::vector<Fusion> fusions;
    GemmProblem gemm;                   ///< of m 0 where the kernel is no matrix product
    AttentionProblem attention;         ///< of d 0 where the kernel is no attention
    AttentionMathematics mathematics;   ///< of it
    NormProblem norm;                   ///< of no items where the kernel is no softmax or norm
    ReduceProblem reduce;               ///< of no results where it is no reduction
    ElementwiseProblem elementwise;     ///< of no rows where it is not elementwise
    double flops = 0;
    DType dtype = DType::f32;           ///< of the first output
    DType multiplied = DType::f32;      ///< the type in which a GPU multiplies: `plan/access/product_type.hpp`

    /// Bytes moved, every tensor once.
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
    bool matrix() const { return gemm.shape.m > 0; }
    bool attends() const { return attention.work.d > 0; }
};

/// Adds the access class of an input expression.
template <class E>
void note_access_class(KernelReport& l) {
    if (access_class_of<E> <= l.access_class) return;
    l.access_class = access_class_of<E>;
    l.why = std::string(reason_of<E>());
}

}  // namespace inlay::inline INLAY_ABI
