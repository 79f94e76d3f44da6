// SPDX-License-Identifier: Apache-2.0
/// Descriptors of cuDNN's backend API, owned and checked.
#pragma once

#include <cudnn.h>
#include <cudnn_backend.h>
#include <inlay/core/dtype.hpp>
#include <inlay/core/error.hpp>

#include <memory>
#include <string>
#include <vector>

namespace inlay_bench::cudnn_api {

using inlay::DType;

inline void check(cudnnStatus_t code, const char* call) {
    if (code == CUDNN_STATUS_SUCCESS) return;
    char why[512] = "";
    cudnnGetLastErrorString(why, sizeof why);
    inlay::fail(std::string(call) + ": " + cudnnGetErrorString(code) + ", " + why);
}

using Dims = std::vector<std::int64_t>;

/// A descriptor of the backend; copies share it, and it keeps what it refers to.
class Descriptor {
public:
    explicit Descriptor(cudnnBackendDescriptorType_t type) : held_(std::make_shared<Held>()) {
        check(cudnnBackendCreateDescriptor(type, &held_->raw), "cudnnBackendCreateDescriptor");
    }
    cudnnBackendDescriptor_t get() const { return held_->raw; }

    template <class V>
    Descriptor& set(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, const V* v, std::size_t n = 1) {
        check(cudnnBackendSetAttribute(get(), name, type, static_cast<std::int64_t>(n), v), "cudnnBackendSetAttribute");
        return *this;
    }
    Descriptor& set(cudnnBackendAttributeName_t name, const Dims& v) {
        return set(name, CUDNN_TYPE_INT64, v.data(), v.size());
    }
    Descriptor& set(cudnnBackendAttributeName_t name, std::int64_t v) { return set(name, CUDNN_TYPE_INT64, &v); }
    Descriptor& set(cudnnBackendAttributeName_t name, bool v) { return set(name, CUDNN_TYPE_BOOLEAN, &v); }
    Descriptor& set(cudnnBackendAttributeName_t name, float v) { return set(name, CUDNN_TYPE_FLOAT, &v); }
    Descriptor& set(cudnnBackendAttributeName_t name, cudnnDataType_t v) { return set(name, CUDNN_TYPE_DATA_TYPE, &v); }
    Descriptor& set(cudnnBackendAttributeName_t name, const Descriptor& d) {
        held_->parts.push_back(d.held_);
        return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, &d.held_->raw);
    }
    Descriptor& set(cudnnBackendAttributeName_t name, const std::vector<Descriptor>& all) {
        std::vector<cudnnBackendDescriptor_t> raw;
        for (const Descriptor& d : all) {
            raw.push_back(d.get());
            held_->parts.push_back(d.held_);
        }
        return set(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, raw.data(), raw.size());
    }
    Descriptor& finalize() {
        check(cudnnBackendFinalize(get()), "cudnnBackendFinalize");
        return *this;
    }

private:
    struct Held {
        cudnnBackendDescriptor_t raw = nullptr;
        std::vector<std::shared_ptr<Held>> parts;
        ~Held() { cudnnBackendDestroyDescriptor(raw); }
    };
    std::shared_ptr<Held> held_;
};

inline cudnnDataType_t type_of(DType t) {
    return t == DType::f16 ? CUDNN_DATA_HALF : t == DType::bf16 ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
}

}  // namespace inlay_bench::cudnn_api
