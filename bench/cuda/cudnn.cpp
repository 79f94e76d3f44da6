// SPDX-License-Identifier: Apache-2.0
/// cuDNN 9 as a peer, through its backend API: a graph of operations, the heuristics' engine configurations, a plan for
/// each. Plans are built on all cores, because most compile a kernel.
#include "peers.hpp"

#include <inlay/core/error.hpp>

#ifdef INLAY_BENCH_CUDNN
#include "cudnn_descriptor.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <optional>
#include <thread>

namespace inlay_bench {

namespace {

using namespace cudnn_api;

enum class Where { memory, between_operations, host };

cudnnHandle_t handle() {
    static const cudnnHandle_t h = [] {
        cudnnHandle_t made;
        check(cudnnCreate(&made), "cudnnCreate");
        return made;
    }();
    return h;
}

/// A graph of operations. Its tensors have the ids 1, 2, ... in the order in which they are made.
class Graph {
public:
    Descriptor tensor(const Dims& dims, const Dims& strides, DType type, Where where) {
        Descriptor t(CUDNN_BACKEND_TENSOR_DESCRIPTOR);
        t.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, next_++).set(CUDNN_ATTR_TENSOR_DATA_TYPE, type_of(type));
        t.set(CUDNN_ATTR_TENSOR_DIMENSIONS, dims).set(CUDNN_ATTR_TENSOR_STRIDES, strides);
        t.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, std::int64_t(16));
        t.set(CUDNN_ATTR_TENSOR_IS_VIRTUAL, where == Where::between_operations);
        t.set(CUDNN_ATTR_TENSOR_IS_BY_VALUE, where == Where::host);
        return t.finalize();
    }
    void convolution(const Descriptor& x, const Descriptor& w, const Descriptor& y, int stride, int pad) {
        Descriptor d(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
        const cudnnConvolutionMode_t mode = CUDNN_CROSS_CORRELATION;
        d.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
        d.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, &mode);
        d.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t(2));
        d.set(CUDNN_ATTR_CONVOLUTION_DILATIONS, Dims{1, 1})
            .set(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, Dims{stride, stride});
        d.set(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, Dims{pad, pad})
            .set(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, Dims{pad, pad});
        d.finalize();
        Descriptor op(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR);
        op.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC, d)
            .set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X, x);
        op.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W, w).set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y, y);
        op.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, 1.0f);
        op.set(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA, 0.0f);
        add(op);
    }
    void pointwise(cudnnPointwiseMode_t mode, const Descriptor& x, const Descriptor& b, const Descriptor& y) {
        Descriptor d(CUDNN_BACKEND_POINTWISE_DESCRIPTOR);
        d.set(CUDNN_ATTR_POINTWISE_MODE, CUDNN_TYPE_POINTWISE_MODE, &mode);
        d.set(CUDNN_ATTR_POINTWISE_MATH_PREC, CUDNN_DATA_FLOAT).finalize();
        Descriptor op(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR);
        op.set(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR, d).set(CUDNN_ATTR_OPERATION_POINTWISE_XDESC, x);
        op.set(CUDNN_ATTR_OPERATION_POINTWISE_BDESC, b).set(CUDNN_ATTR_OPERATION_POINTWISE_YDESC, y);
        add(op);
    }
    /// The unified operation of cuDNN 9.13.1 and newer.
    void attention(const Descriptor& q, const Descriptor& k, const Descriptor& v, const Descriptor& y,
                   const Descriptor& scale) {
        Descriptor op(CUDNN_BACKEND_OPERATION_SDPA_FWD_DESCRIPTOR);
        op.set(CUDNN_ATTR_OPERATION_SDPA_FWD_QDESC, q).set(CUDNN_ATTR_OPERATION_SDPA_FWD_KDESC, k);
        op.set(CUDNN_ATTR_OPERATION_SDPA_FWD_VDESC, v).set(CUDNN_ATTR_OPERATION_SDPA_FWD_ODESC, y);
        op.set(CUDNN_ATTR_OPERATION_SDPA_FWD_SCALEDESC, scale);
        add(op);
    }
    Descriptor operations() const {
        Descriptor g(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR);
        const cudnnHandle_t h = handle();
        g.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, &h);
        return g.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, ops_).finalize();
    }

private:
    void add(Descriptor& op) { ops_.push_back(op.finalize()); }
    std::vector<Descriptor> ops_;
    std::int64_t next_ = 1;
};

/// Engine configurations that compute the operation, best first by the heuristics' guess.
std::vector<Descriptor> configurations(const Descriptor& graph) {
    std::vector<Descriptor> all;
    for (const cudnnBackendHeurMode_t mode : {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK}) {
        try {
            Descriptor h(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
            h.set(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph);
            h.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, &mode).finalize();
            std::int64_t n = 0;
            check(cudnnBackendGetAttribute(h.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 0, &n,
                                           nullptr),
                  "cudnnBackendGetAttribute");
            std::vector<Descriptor> found;
            std::vector<cudnnBackendDescriptor_t> raw;
            for (std::int64_t i = 0; i < n; ++i)
                raw.push_back(found.emplace_back(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR).get());
            check(cudnnBackendGetAttribute(h.get(), CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_TYPE_BACKEND_DESCRIPTOR, n, &n,
                                           raw.data()),
                  "cudnnBackendGetAttribute");
            all.insert(all.end(), found.begin(), found.begin() + n);
        } catch (const inlay::Error&) {  // a mode without an answer for this graph
        }
    }
    return all;
}

/// True if an engine rounds its inputs or its sums to fewer bits than requested; of fp32 the matrix units make TF32.
bool loses_precision(const Descriptor& configuration, DType type) {
    Descriptor engine(CUDNN_BACKEND_ENGINE_DESCRIPTOR);
    cudnnBackendDescriptor_t raw = engine.get();
    std::int64_t n = 0;
    check(cudnnBackendGetAttribute(configuration.get(), CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1,
                                   &n, &raw),
          "cudnnBackendGetAttribute");
    cudnnBackendNumericalNote_t notes[CUDNN_NUMERICAL_NOTE_TYPE_COUNT];
    check(cudnnBackendGetAttribute(raw, CUDNN_ATTR_ENGINE_NUMERICAL_NOTE, CUDNN_TYPE_NUMERICAL_NOTE,
                                   CUDNN_NUMERICAL_NOTE_TYPE_COUNT, &n, notes),
          "cudnnBackendGetAttribute");
    return std::any_of(notes, notes + n, [&](cudnnBackendNumericalNote_t note) {
        return note == CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS ||
               note == CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION ||
               (note == CUDNN_NUMERICAL_NOTE_TENSOR_CORE && type == DType::f32);
    });
}

struct Plan {
    Descriptor graph, plan;
    std::int64_t workspace = 0;
};

/// The first `most` plans that a graph has, built on all cores.
std::vector<std::shared_ptr<Plan>> build(const Graph& graph, DType type, int most) {
    const Descriptor operations = graph.operations();
    std::vector<Descriptor> wanted;
    for (const Descriptor& c : configurations(operations))
        if (static_cast<int>(wanted.size()) < most && !loses_precision(c, type)) wanted.push_back(c);
    std::vector<std::shared_ptr<Plan>> plans(wanted.size());
    std::atomic<std::size_t> next{0};
    int device = 0;
    inlay::require(cudaGetDevice(&device) == cudaSuccess, "cudaGetDevice failed");
    const auto work = [&] {
        if (cudaSetDevice(device) != cudaSuccess) return;  // another thread builds its share
        for (std::size_t i; (i = next++) < wanted.size();) {
            try {
                auto p = std::make_shared<Plan>(Plan{operations, Descriptor(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR)});
                p->plan.set(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, wanted[i]);
                const cudnnHandle_t h = handle();
                p->plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, &h).finalize();
                std::int64_t n = 0;
                check(cudnnBackendGetAttribute(p->plan.get(), CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE,
                                               CUDNN_TYPE_INT64, 1, &n, &p->workspace),
                      "cudnnBackendGetAttribute");
                if (p->workspace <= static_cast<std::int64_t>(peer_workspace_bytes)) plans[i] = p;
            } catch (const inlay::Error&) {  // an engine that does not take this graph
            }
        }
    };
    std::vector<std::thread> threads;
    for (unsigned i = 1; i < std::min<std::size_t>(std::thread::hardware_concurrency(), wanted.size()); ++i)
        threads.emplace_back(work);
    work();
    for (std::thread& t : threads) t.join();
    std::erase(plans, nullptr);
    return plans;
}

/// Operands have the ids 1 … inputs, then the output, then a scalar if there is one.
std::vector<Candidate> candidates(const Graph& graph, DType type, int inputs, int most,
                                  std::optional<float> scalar = {}) {
    std::vector<Candidate> all;
    for (const auto& p : build(graph, type, most))
        all.push_back(
            {"plan " + std::to_string(all.size()), [p, inputs, scalar](const Operands& o, cudaStream_t stream) {
                 Dims ids;
                 std::vector<const void*> pointers(o.in, o.in + inputs);
                 pointers.push_back(o.out);
                 if (scalar) pointers.push_back(&*scalar);
                 for (std::size_t i = 0; i < pointers.size(); ++i) ids.push_back(static_cast<std::int64_t>(i) + 1);
                 const void* workspace = peer_workspace();
                 Descriptor pack(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
                 pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, ids);
                 pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, pointers.data(), pointers.size());
                 pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, &workspace).finalize();
                 check(cudnnSetStream(handle(), stream), "cudnnSetStream");
                 check(cudnnBackendExecute(handle(), p->plan.get(), pack.get()), "cudnnBackendExecute");
             }});
    return all;
}

/// NCHW extents of a tensor that lies in memory as NHWC.
Dims channels_last(const Dims& d) {
    return {d[1] * d[2] * d[3], 1, d[3] * d[1], d[1]};
}

Graph convolution_graph(const Convolution& p) {
    Graph g;
    const Dims in{p.batch, p.in, p.height, p.width}, filter{p.out, p.in, p.taps, p.taps}, bias{1, p.out, 1, 1},
        out{p.batch, p.out, p.out_height(), p.out_width()};
    const auto operand = [&](const Dims& d) { return g.tensor(d, channels_last(d), p.type, Where::memory); };
    const auto between = [&] { return g.tensor(out, channels_last(out), DType::f32, Where::between_operations); };
    const Descriptor x = operand(in), w = operand(filter), b = operand(bias);
    std::optional<Descriptor> r;
    if (p.residual) r = operand(out);
    const Descriptor y = operand(out), sum = between();
    g.convolution(x, w, sum, p.stride, p.taps / 2);
    if (r) {  // before the bias: that order its compiled kernels have
        const Descriptor kept = between();
        g.pointwise(CUDNN_POINTWISE_ADD, sum, *r, kept);
        g.pointwise(CUDNN_POINTWISE_ADD, kept, b, y);
    } else {
        g.pointwise(CUDNN_POINTWISE_ADD, sum, b, y);
    }
    return g;
}

Graph attention_graph(const Scores& p) {
    Graph g;
    const auto tokens = [&](index_t heads, index_t n) {
        const index_t row = heads * p.dim;
        return g.tensor({p.batch, heads, n, p.dim}, {n * row, p.dim, row, 1}, p.type, Where::memory);
    };
    const Descriptor q = tokens(p.heads, p.queries), k = tokens(p.key_heads, p.keys), v = tokens(p.key_heads, p.keys),
                     y = tokens(p.heads, p.queries);
    g.attention(q, k, v, y, g.tensor({1, 1, 1, 1}, {1, 1, 1, 1}, DType::f32, Where::host));
    return g;
}

}  // namespace

std::vector<Candidate> cudnn(const Convolution& p, int plans) {
    return candidates(convolution_graph(p), p.type, p.residual ? 4 : 3, plans);
}
std::vector<Candidate> cudnn(const Scores& p, int plans) {
    const float scale = p.binary ? 0.6931472f : 1 / std::sqrt(static_cast<float>(p.dim));
    return candidates(attention_graph(p), p.type, 3, plans, scale);
}
std::string cudnn_version() {
    return std::to_string(cudnnGetVersion());
}

}  // namespace inlay_bench
#else
namespace inlay_bench {
std::vector<Candidate> cudnn(const Convolution&, int) {
    return {};
}
std::vector<Candidate> cudnn(const Scores&, int) {
    return {};
}
std::string cudnn_version() {
    return "not in this build";
}
}  // namespace inlay_bench
#endif
