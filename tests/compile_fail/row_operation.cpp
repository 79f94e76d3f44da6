// SPDX-License-Identifier: Apache-2.0
// expect: inlay: the operation of rows is a trivially copyable function of a row: template <class Row> INLAY_FN void operator\(\)\(Row& row\) const
#include <inlay/exec/oracle.hpp>
#include <inlay/inlay.hpp>

using namespace inlay;

struct OfNumbers {
    void operator()(float) const {}
};
template <class In = Buf<0>>
struct wrongly : Softmax<In> {
    using frame_tag::run;
    template <class T, class P>
    static void run(T& target, const P& p) {
        target.rows(p.problem.out, get<0>(p.in), OfNumbers{}, p.epilogue, p.sink);
    }
};
extern float *x, *y;
void wrong(Oracle& target) { prepare<wrongly<>>(tensor(y, 4, 4), tensor(x, 4, 4)).run(target); }
