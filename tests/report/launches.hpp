// SPDX-License-Identifier: Apache-2.0
/// Kernels prepared on tensors without data, and what is said of them.
#pragma once

#include <inlay/inlay.hpp>
#include <inlay/report/explain.hpp>

#include <string>

namespace inlay_test {

using namespace inlay;

/// A tensor without data: explaining reads none.
template <Storage T = fp16, class... I>
auto shape(I... extents) {
    return tensor<T>(nullptr, extents...);
}
template <class K, class... Args>
KernelReport of(const Args&... args) {
    return describe<K>(prepare<K>(args...));
}
/// Why sm_90a's engine refuses K, "" where it takes it.
template <class K, class... Args>
std::string refused(const Args&... args) {
    const KernelReport l = of<K>(args...);
    const char* const why = decide(l, sm90a_target).why_not_wgmma;
    return why ? why : "";
}
/// The line of one operand, or of "frame" and the like.
inline std::string line(const std::string& what, const KernelReport& l, const TargetInfo& t = sm90a_target) {
    const std::string s = explain(l, t), label = "\n  " + what + std::string(10 - what.size(), ' ');
    const auto at = s.find(label);
    return at == s.npos ? "" : s.substr(at + label.size(), s.find('\n', at + 1) - at - label.size());
}
template <class K, class... Args>
std::string line(const std::string& what, const TargetInfo& t, const Args&... args) {
    return line(what, of<K>(args...), t);
}
/// All of it, behind an empty line.
template <class K, class... Args>
std::string on(const TargetInfo& t, const Args&... args) {
    return "\n" + explain(of<K>(args...), t);
}

}  // namespace inlay_test
