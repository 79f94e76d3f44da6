// SPDX-License-Identifier: Apache-2.0
#include "price.hpp"

namespace inlay_bench {

namespace {

using namespace inlay;

using In = Buf<0>;
/// GroupNorm applied: x·scale + shift, [B, C] each and in fp32, then SiLU, to be multiplied in fp16.
using Affine =
    Cast<Silu<Add<Mul<In, Reshape<Buf<1>, -1, 1, 1, param<0>>>, Reshape<Buf<2>, -1, 1, 1, param<0>>>>, fp16>;
using Both = Concat<-1, Buf<0>, Buf<1>>;

template <class E = In, class Epilogue = Out, class S = Store<0>>
struct conv : Conv2D<Filter<3>, E, Epilogue, S> {};
template <class E>
struct pass : Elementwise<E> {};
/// One read of the result, as statistics in a pass of their own cost it.
struct squares : Reduce<reduction::Sum, Axes<1, 2>, Mul<In, In>> {};

void prologue_silu(Bench& bench, const Shape& s, const std::string& layer, index_t b, index_t h, index_t ci,
                   index_t co) {
    const index_t n = b * h * h;
    bench.run("price/silu_prologue/" + layer, [&](Case& c) {
        auto x = c.input<fp16>(n * ci), w = c.input<fp16>(co * 9 * ci);
        auto y = c.output<fp16>(n * co), t = c.output<fp16>(n * ci);
        const auto out = [=](int i) { return tensor(y[i], b, h, h, co); };
        const auto filter = [=](int i) { return weight(w[i], co, 3, 3, ci); };
        const auto in = [=](int i) { return tensor(x[i], b, h, h, ci); };
        c.number("count", static_cast<double>(s.count));
        price(
            c, [=](int i) { return prepare<conv<Silu<In>>>(out(i), filter(i), in(i)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), in(i)); },
            [=](int i) { return prepare<pass<Silu<In>>>(tensor(t[i], b, h, h, ci), in(i)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), read(tensor(t[i], b, h, h, ci))); });
    });
    bench.run("price/affine_silu_prologue/" + layer, [&](Case& c) {
        auto x = c.input<fp16>(n * ci), w = c.input<fp16>(co * 9 * ci);
        auto scale = c.input<float>(b * ci), shift = c.input<float>(b * ci);
        auto y = c.output<fp16>(n * co), t = c.output<fp16>(n * ci);
        const auto out = [=](int i) { return tensor(y[i], b, h, h, co); };
        const auto filter = [=](int i) { return weight(w[i], co, 3, 3, ci); };
        const auto in = [=](int i) { return tensor(x[i], b, h, h, ci); };
        const auto affine = [=](int i) { return std::pair(tensor(scale[i], b, ci), tensor(shift[i], b, ci)); };
        c.number("count", static_cast<double>(s.count));
        price(
            c,
            [=](int i) {
                return prepare<conv<Affine>>(out(i), filter(i), in(i), affine(i).first, affine(i).second, ci);
            },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), in(i)); },
            [=](int i) {
                return prepare<pass<Affine>>(tensor(t[i], b, h, h, ci), in(i), affine(i).first, affine(i).second, ci);
            },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), read(tensor(t[i], b, h, h, ci))); });
    });
}
void prologue_concat(Bench& bench, const std::string& layer, index_t b, index_t h, index_t ci, index_t co,
                     index_t left) {
    const index_t n = b * h * h, right = ci - left;
    bench.run("price/concat_prologue/" + layer, [&](Case& c) {
        auto x = c.input<fp16>(n * left), z = c.input<fp16>(n * right), w = c.input<fp16>(co * 9 * ci);
        auto y = c.output<fp16>(n * co), t = c.output<fp16>(n * ci);
        const auto out = [=](int i) { return tensor(y[i], b, h, h, co); };
        const auto filter = [=](int i) { return weight(w[i], co, 3, 3, ci); };
        const auto whole = [=](int i) { return tensor(t[i], b, h, h, ci); };
        const auto first = [=](int i) { return tensor(x[i], b, h, h, left); };
        const auto second = [=](int i) { return tensor(z[i], b, h, h, right); };
        price(
            c, [=](int i) { return prepare<conv<Both>>(out(i), filter(i), first(i), second(i)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), read(whole(i))); },
            [=](int i) { return prepare<pass<Both>>(whole(i), first(i), second(i)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), read(whole(i))); });
    });
}
/// A convolution of an upsampled image, as one kernel of the small image, `upsampled(out, filter, in)`, whose filter
/// has `taps` matrices; beside the convolution of the image that a pass of its own has upsampled.
template <class Upsampled>
void price_upsampled(Bench& bench, const std::string& row, index_t b, index_t h, index_t channels, index_t taps,
                     Upsampled upsampled) {
    const index_t n = b * h * h, small = h / 2;  // h: of the upsampled image
    bench.run(row, [&](Case& c) {
        auto x = c.input<fp16>(n / 4 * channels), w = c.input<fp16>(channels * taps * channels);
        auto y = c.output<fp16>(n * channels), t = c.output<fp16>(n * channels);
        const auto out = [=](int i) { return tensor(y[i], b, h, h, channels); };
        const auto filter = [=](int i) { return weight(w[i], channels, 3, 3, channels); };
        const auto whole = [=](int i) { return tensor(t[i], b, h, h, channels); };
        const auto in = [=](int i) { return tensor(x[i], b, small, small, channels); };
        price(
            c, [=](int i) { return upsampled(out(i), w[i], in(i)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), read(whole(i))); },
            [=](int i) { return prepare<pass<Upsample2x<In>>>(whole(i), in(i)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), read(whole(i))); });
    });
}
/// Upsampling as a prologue, and by its phases.
void upsampling(Bench& bench, const std::string& layer, index_t b, index_t h, index_t channels) {
    price_upsampled(bench, "price/upsample_prologue/" + layer, b, h, channels, 9,
                    [=](const auto& out, const auto& w, const auto& in) {
                        return prepare<conv<Upsample2x<In>>>(out, weight(w, channels, 3, 3, channels), in);
                    });
    price_upsampled(bench, "price/upsample_phases/" + layer, b, h, channels, 16,
                    [=](const auto& out, const auto& w, const auto& in) {
                        return prepare<UpsampledConv2D<>>(out, weight(w, 4, channels, 4 * channels), in);
                    });
}
void epilogues(Bench& bench, const Shape& s, const std::string& layer, index_t b, index_t h, index_t ci, index_t co) {
    const index_t n = b * h * h;
    bench.run("price/bias_epilogue/" + layer, [&](Case& c) {
        auto x = c.input<fp16>(n * ci), w = c.input<fp16>(co * 9 * ci), z = c.input<fp16>(co);
        auto y = c.output<fp16>(n * co), t = c.output<fp16>(n * co);
        const auto out = [=](int i) { return tensor(y[i], b, h, h, co); };
        const auto filter = [=](int i) { return weight(w[i], co, 3, 3, ci); };
        const auto in = [=](int i) { return tensor(x[i], b, h, h, ci); };
        const auto between = [=](int i) { return tensor(t[i], b, h, h, co); };
        c.number("count", static_cast<double>(s.count));
        price(
            c, [=](int i) { return prepare<conv<In, Add<Out, Buf<1>>>>(out(i), filter(i), in(i), tensor(z[i], co)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), in(i)); },
            [=](int i) { return prepare<conv<>>(between(i), filter(i), in(i)); },
            [=](int i) { return prepare<pass<Add<In, Buf<1>>>>(out(i), read(between(i)), tensor(z[i], co)); });
    });
    bench.run("price/residual_epilogue/" + layer, [&](Case& c) {
        auto x = c.input<fp16>(n * ci), w = c.input<fp16>(co * 9 * ci), r = c.input<fp16>(n * co);
        auto y = c.output<fp16>(n * co), t = c.output<fp16>(n * co);
        const auto out = [=](int i) { return tensor(y[i], b, h, h, co); };
        const auto filter = [=](int i) { return weight(w[i], co, 3, 3, ci); };
        const auto in = [=](int i) { return tensor(x[i], b, h, h, ci); };
        const auto between = [=](int i) { return tensor(t[i], b, h, h, co); };
        const auto other = [=](int i) { return tensor(r[i], b, h, h, co); };
        c.number("count", static_cast<double>(s.count));
        price(
            c, [=](int i) { return prepare<conv<In, Add<Out, Buf<1>>>>(out(i), filter(i), in(i), other(i)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), in(i)); },
            [=](int i) { return prepare<conv<>>(between(i), filter(i), in(i)); },
            [=](int i) { return prepare<pass<Add<In, Buf<1>>>>(out(i), read(between(i)), other(i)); });
    });
    bench.run("price/statistics_sink/" + layer, [&](Case& c) {
        auto x = c.input<fp16>(n * ci), w = c.input<fp16>(co * 9 * ci);
        auto y = c.output<fp16>(n * co);
        auto stats = c.output<float>(b * co * 2);
        const auto out = [=](int i) { return tensor(y[i], b, h, h, co); };
        const auto filter = [=](int i) { return weight(w[i], co, 3, 3, ci); };
        const auto in = [=](int i) { return tensor(x[i], b, h, h, ci); };
        c.number("count", static_cast<double>(s.count));
        price(
            c,
            [=](int i) {
                return prepare<conv<In, Out, WithStats<Store<0>, 1>>>(out(i), tensor(stats[i], b, co, 2), filter(i),
                                                                      in(i));
            },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), in(i)); },
            [=](int i) { return prepare<conv<>>(out(i), filter(i), in(i)); },
            [=](int i) { return prepare<squares>(tensor(stats[i], b, 1, 1, co), read(out(i))); });
    });
}

}  // namespace

void price_convolutions(Bench& bench) {
    for (const Shape& s : bench.shapes("conv3x3")) {
        const index_t h = s.key[0], ci = s.key[2], co = s.key[3], b = s.model == "vae" ? 1 : 2;
        if (s.key[4] != 1 || ci % 64 || co % 64 || h > 256 || (bench.quick() && s.count < 6)) continue;
        const std::string layer = s.kind + "/" + s.text() + "/fp16";
        prologue_silu(bench, s, layer, b, h, ci, co);
        if (ci > co && s.model == "unet") prologue_concat(bench, layer, b, h, ci, co, co);
        if (ci == co && (s.count == 1 || ci == 1280)) upsampling(bench, layer, b, h, ci);
        epilogues(bench, s, layer, b, h, ci, co);
    }
}

}  // namespace inlay_bench
