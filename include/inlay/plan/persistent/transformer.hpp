// SPDX-License-Identifier: Apache-2.0
/// The persistent program of a spatial transformer of the UNet: GroupNorm, self-attention, cross-attention on the text,
/// GEGLU, and the products around them. A group is 64 rows, pixels of one image: what a group's tiles wrote is read by
/// its own tiles in all phases but two, the normalisation, whose moments are an image's, and self-attention, whose keys
/// are.
#pragma once

#include <inlay/plan/persistent/storage.hpp>
#include <inlay/plan/persistent/transformer_tasks.hpp>

namespace inlay::inline INLAY_ABI::persistent {

template <TransformerShape Shape>
struct Transformer {
    static constexpr TransformerShape shape = Shape;
    static constexpr TransformerTasks tasks = transformer_tasks(Shape, sm90_target.units);

    /// Of the caller: the image, keys and values of the text, the result.
    struct Image : KeptBuffer<1> {};
    struct Text : KeptBuffer<1> {};
    struct Result : KeptBuffer<1> {};
    /// Mean and squared deviations of the GroupNorm's groups over the rows of each group.
    struct Moments : Buffer<Shape.moment_bytes()> {};
    template <int I>
    struct Rows : Buffer<Shape.row_bytes()> {};
    using Normal = Rows<0>;  ///< the image, normalised
    using Begin = Rows<1>;   ///< behind the first product
    using Normal1 = Rows<2>;
    struct Heads : Buffer<3 * Shape.row_bytes()> {};  ///< queries, keys and values of a row
    using Attended = Rows<3>;
    using Middle = Rows<4>;  ///< behind self-attention
    using Normal2 = Rows<5>;
    using Queries = Rows<6>;
    using AttendedText = Rows<7>;
    using Late = Rows<8>;  ///< behind cross-attention
    using Normal3 = Rows<9>;
    struct Inner : Buffer<4 * Shape.row_bytes()> {};
    using End = Rows<10>;  ///< behind the GEGLU

    template <int I>
    struct Grouped {
        static constexpr const char* name = transformer_phase_names[I];
        static constexpr int groups = Shape.groups(), tiles = groups * tasks.members[I];
    };
    struct ProjectOut;

    struct Measure : Grouped<0> {
        using waits = types<AfterLast<ProjectOut>>;
        using reads = types<OwnGroup<Image>>;
        using writes = types<OwnGroup<Moments>>;
    };
    struct Normalise : Grouped<1> {
        using waits = types<After<Measure>>;
        using reads = types<Whole<Moments>, OwnGroup<Image>>;
        using writes = types<OwnGroup<Normal>>;
    };
    struct ProjectIn : Grouped<2> {
        using waits = types<AfterGroup<Normalise>>;
        using reads = types<OwnGroup<Normal>>;
        using writes = types<OwnGroup<Begin>>;
    };
    struct Norm1 : Grouped<3> {
        using waits = types<AfterGroup<ProjectIn>>;
        using reads = types<OwnGroup<Begin>>;
        using writes = types<OwnGroup<Normal1>>;
    };
    struct Qkv : Grouped<4> {
        using waits = types<AfterGroup<Norm1>>;
        using reads = types<OwnGroup<Normal1>>;
        using writes = types<OwnGroup<Heads>>;
    };
    struct Attend : Grouped<5> {
        using waits = types<After<Qkv>>;
        using reads = types<Whole<Heads>>;
        using writes = types<OwnGroup<Attended>>;
    };
    struct Out : Grouped<6> {
        using waits = types<AfterGroup<Attend>>;
        using reads = types<OwnGroup<Attended>, OwnGroup<Begin>>;
        using writes = types<OwnGroup<Middle>>;
    };
    struct Norm2 : Grouped<7> {
        using waits = types<AfterGroup<Out>>;
        using reads = types<OwnGroup<Middle>>;
        using writes = types<OwnGroup<Normal2>>;
    };
    struct Query : Grouped<8> {
        using waits = types<AfterGroup<Norm2>>;
        using reads = types<OwnGroup<Normal2>>;
        using writes = types<OwnGroup<Queries>>;
    };
    struct AttendText : Grouped<9> {
        using waits = types<AfterGroup<Query>>;
        using reads = types<OwnGroup<Queries>, Whole<Text>>;
        using writes = types<OwnGroup<AttendedText>>;
    };
    struct OutText : Grouped<10> {
        using waits = types<AfterGroup<AttendText>>;
        using reads = types<OwnGroup<AttendedText>, OwnGroup<Middle>>;
        using writes = types<OwnGroup<Late>>;
    };
    struct Norm3 : Grouped<11> {
        using waits = types<AfterGroup<OutText>>;
        using reads = types<OwnGroup<Late>>;
        using writes = types<OwnGroup<Normal3>>;
    };
    struct Up : Grouped<12> {
        using waits = types<AfterGroup<Norm3>>;
        using reads = types<OwnGroup<Normal3>>;
        using writes = types<OwnGroup<Inner>>;
    };
    struct Down : Grouped<13> {
        using waits = types<AfterGroup<Up>>;
        using reads = types<OwnGroup<Inner>, OwnGroup<Late>>;
        using writes = types<OwnGroup<End>>;
    };
    struct ProjectOut : Grouped<14> {
        using waits = types<AfterGroup<Down>>;
        using reads = types<OwnGroup<End>, OwnGroup<Image>>;
        using writes = types<OwnGroup<Result>>;
    };

    using Step = Program<Once<Measure, Normalise, ProjectIn, Norm1, Qkv, Attend, Out, Norm2, Query, AttendText, OutText,
                              Norm3, Up, Down, ProjectOut>>;
    using Places = StorageOf<Step>;
};

/// Waits and lifetimes do not depend on a shape as long as it has several groups: those of any shape follow from these,
/// which `Checked` has proved.
using AnyTransformer = Transformer<TransformerShape{.batch = 2, .pixels = 64, .channels = 1280, .heads = 8}>;

/// The facts of a shape's program.
constexpr ProgramFacts transformer_facts(const TransformerShape& shape, const TransformerTasks& tasks) {
    using Model = AnyTransformer;
    ProgramFacts f = Checked<Model::Step>::facts;
    for (int p = 0; p < f.phase_count; ++p) {
        f.phases[p].groups = shape.groups();
        f.phases[p].tiles = shape.groups() * tasks.members[p];
    }
    constexpr int row = Model::shape.row_bytes(), moments = buffer_number<Model::Step, Model::Moments>;
    for (int b = 0; b < f.buffer_count; ++b)
        if (!f.buffers[b].kept)
            f.buffers[b].bytes = b == moments ? shape.moment_bytes() : f.buffers[b].bytes / row * shape.row_bytes();
    return f;
}

}  // namespace inlay::inline INLAY_ABI::persistent
