// SPDX-License-Identifier: Apache-2.0
/// One kernel as `explain` sees it: what it reads and how, what it computes, what it saves. Independent of the target.
#pragma once

#include <inlay/core/dtype.hpp>
#include <inlay/expr/access.hpp>

#include <string>
#include <vector>

namespace inlay::inline INLAY_ABI {

/// A tensor a kernel reads or writes.
struct Operand {
    std::string name;      ///< "Buf<0>", "weight 0", "Store<0>"
    std::string extents;
    DType dtype;
    bool expression;       ///< a slot of an expression; else a weight or an output
    bool input;            ///< read by an input expression; else by the epilogue alone
    Rung rung;             ///< how it can be reached
    index_t run;           ///< elements that lie side by side: the greatest vector that divides every run
    double bytes;          ///< moved, each distinct element once
};

/// An operation that a runtime without fusion would launch on its own.
struct Fusion {
    std::string kind;      ///< "Silu", "Concat", "Permuted"
    double bytes;          ///< its intermediate, written and read again
};

struct Launch {
    std::string layer;                  ///< set by the program
    std::string kernel, frame;          ///< the struct that was prepared; the frame's kind
    std::vector<std::string> inputs;    ///< expressions
    std::string epilogue, sink, extents, schedule;  ///< `schedule`: the user's own, else empty
    Rung rung = Rung::plain;            ///< of the inputs together
    int operations = 0, special = 0;    ///< of the inputs, per element
    std::vector<Operand> operands;
    std::vector<Fusion> fusions;
    index_t batch = 0, m = 0, n = 0, k = 0;  ///< of the matrix product, 0 without one
    double flops = 0;
    DType dtype = DType::f32;           ///< of the first output

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
    bool matrix() const { return m > 0; }
};

}  // namespace inlay::inline INLAY_ABI
