// SPDX-License-Identifier: Apache-2.0
/// The warps of a decoder's persistent block that run its tiles, phase by phase: each waits for the words it reads.
#pragma once

#include <inlay/expr/binary.hpp>
#include <inlay/expr/unary.hpp>
#include <inlay/tile/cuda/persistent/decoder_producer.hpp>
#include <inlay/tile/cuda/persistent/restrict.hpp>
#include <inlay/tile/gpu/persistent/value.hpp>

namespace inlay::inline INLAY_ABI::on_gpu {

/// The warps that compute.
template <class S, class T, persistent::TokenChoice C, DecoderMemory M = DecoderMemory::all,
          class Rows = DecoderRing<S, T, M>>
struct DecoderConsumer : DecoderRole<S, T, C, M> {
    using Role = DecoderRole<S, T, C, M>;
    using Model = typename Role::Model;
    using Step = typename Role::Step;
    using Role::a, Role::block, Role::blocks, Role::pass, Role::position, Role::shared, Role::head;
    static constexpr int threads = Role::Narrow::threads;
    static constexpr int row_pitch = Role::Shared::row_pitch, inner_pitch = Role::Shared::inner_pitch;
    static constexpr int of_word = word_values<T>;  ///< values
    static constexpr bool sampled = C != persistent::TokenChoice::greedy;
    using Restrictor = TokenRestrictor<S, T>;
    Rows& ring;
    template <class Phase>
    __device__ INLAY_INLINE void operator()(int round, int index) const {
        const OwnTag tag{*this, index, tag_of(index)};
        if (a.delay > 0)
            spend_clocks(((tag * 2654435761u ^ static_cast<unsigned>(block()) * 40503u) >> 8) %
                         static_cast<unsigned>(a.delay));
        const DecoderLayer<T>& layer = this->layer(round);
        if constexpr (std::is_same_v<Phase, typename Model::Embed>) embed(round, tag);
        if constexpr (std::is_same_v<Phase, typename Model::Qkv>)
            product<Phase, typename Model::Row, typename Model::Heads, Add<Out, Buf<0>>, void>(
                round, tag, &DecoderLayer<T>::qkv_bias, layer.norm1, layer.norm1_shift);
        if constexpr (std::is_same_v<Phase, typename Model::Attend>) {
            this->each_part([&](int row, int h, int part) {
                Role::Attention::run(ring, shared(), layer, a.capacity, row * S::heads + h, part, this->parts(),
                                     position(row), words<typename Model::Heads>(),
                                     written<Phase, typename Model::Heads>(round, tag),
                                     words<typename Model::Parts>(), tag);
            });
        }
        if constexpr (std::is_same_v<Phase, typename Model::Project>)
            product<Phase, typename Model::Parts, typename Model::Middle, Add<Add<Out, Buf<0>>, Buf<1>>,
                    typename Model::Row>(round, tag, &DecoderLayer<T>::project_bias, nullptr, nullptr);
        if constexpr (std::is_same_v<Phase, typename Model::Up>)
            product<Phase, typename Model::Middle, typename Model::Inner, GeluTanh<Add<Out, Buf<0>>>, void>(
                round, tag, &DecoderLayer<T>::up_bias, layer.norm2, layer.norm2_shift);
        if constexpr (std::is_same_v<Phase, typename Model::Down>)
            product<Phase, typename Model::Inner, typename Model::Row, Add<Add<Out, Buf<0>>, Buf<1>>,
                    typename Model::Middle>(round, tag, &DecoderLayer<T>::down_bias, nullptr, nullptr);
        if constexpr (std::is_same_v<Phase, typename Model::Vocabulary>) vocabulary(round, tag);
        if constexpr (std::is_same_v<Phase, typename Model::Weigh>) {
            const bool has_row = warp_index() < this->batch();
            if (has_row) {
                float most;
                const int likely = winner(written<Phase, typename Model::Winners>(round, tag), most);
                chooser(this->own_row()).keep_best(most, likely);
            }
            if constexpr (C == persistent::TokenChoice::restricted) {
                chooser(Restrictor::row_of_warp(a)).weigh(tag);
            } else {
                named_barrier(1, threads);
                for (int row = 0; row < this->batch(); ++row) chooser(row).add_weights();
                named_barrier(1, threads);
                if (has_row) chooser(this->own_row()).publish_weights(tag);
            }
        }
        if constexpr (std::is_same_v<Phase, typename Model::Choose>)
            if (warp_index() < this->batch())
                chooser(this->own_row())
                    .choose(written<Phase, typename Model::Totals>(round, tag), tag, position(this->own_row()) + 1);
    }

    /// The token of the warp's own row, of the words that the last phase of a pass left; by all lanes.
    __device__ INLAY_INLINE int answer(std::uint32_t tag) const {
        float most;
        if constexpr (sampled) return chooser(this->own_row()).chosen(tag);
        else return winner(tag, most);
    }

private:
    __device__ INLAY_INLINE std::uint32_t tag_of(int index) const {
        return shared().tag + static_cast<std::uint32_t>(pass * Role::instances(a.layer_count) + index) + 1;
    }
    /// An instance's tag. A kernel of its own computes it anew: it would take a register all along.
    struct OwnTag {
        const DecoderConsumer& of;
        int index;
        std::uint32_t tag;

        __device__ INLAY_INLINE operator std::uint32_t() const {
            if constexpr (M == DecoderMemory::all) return tag;
            else return of.tag_of(index);
        }
    };
    /// The best token of all blocks, and its logit.
    __device__ INLAY_INLINE int winner(std::uint32_t tag, float& most) const {
        most = -INFINITY;
        int token = 0x7fffffff;
        for (int i = lane_index(); i < blocks(); i += warp_size) {
            std::uint32_t w[2];
            receive(w, winner_words() + 2 * i, 0, 1, 2, tag);
            better(most, token, float_of_bits(w[0]), static_cast<int>(w[1]));
        }
        return best_of_lanes(most, token);
    }
    /// Those of the warp's own row.
    __device__ INLAY_INLINE std::uint64_t* winner_words() const {
        return a.winners + this->own_row() * (S::winner_bytes / 8);
    }
    /// Of a sequence.
    __device__ INLAY_INLINE auto chooser(int row) const {
        const ColumnRange own = this->template columns<typename Model::Vocabulary>();
        if constexpr (C == persistent::TokenChoice::restricted) {
            auto& scratch = *reinterpret_cast<typename Restrictor::Scratch*>(shared().sums);
            return Restrictor{a, own, block(), blocks(), scratch, row};
        } else {
            using Chooser = TokenChooser<S, T, typename Role::Arguments>;
            auto& scratch = reinterpret_cast<typename Chooser::Scratch*>(shared().sums)[row];
            return Chooser{a, own, block(), blocks(), scratch, row};
        }
    }
    template <class B>
    __device__ INLAY_INLINE std::uint64_t* words() const {
        return a.words + Model::Places::template at<B> / 8;
    }
    template <class Phase, class B>
    __device__ INLAY_INLINE static std::uint32_t written(int round, std::uint32_t tag) {
        return tag - static_cast<std::uint32_t>(persistent::Since<Step, Phase, B>::in(round));
    }
    /// The greater logit, of equal ones the lower token.
    __device__ INLAY_INLINE static void better(float& most, int& token, float x, int n) {
        const bool takes = x > most || (x == most && n < token);
        most = takes ? x : most, token = takes ? n : token;
    }
    __device__ INLAY_INLINE static int best_of_lanes(float& most, int token) {
        INLAY_UNROLL
        for (int apart = warp_size / 2; apart > 0; apart /= 2) {
            const float x = shuffle_xor(most, apart);
            better(most, token, x, shuffle_xor(token, apart));
        }
        return token;
    }
    /// The copy of a row that this block reads: polls of all blocks for the same lines would wait for each other.
    template <class B>
    __device__ INLAY_INLINE const std::uint64_t* own_copy() const {
        return words<B>() + block() % S::copies * copy_words<B>;
    }
    template <class B>
    static constexpr int copy_words = B::bytes / 8 / S::copies;
    template <class B>
    static constexpr int row_words = B::bytes / 8 / S::copies / S::batch;
    /// Columns n of all lanes, of the warp's own row, to every copy: a word's are those of neighbours, which share the
    /// copies among themselves.
    template <class B>
    __device__ INLAY_INLINE void publish_columns(int n, float x, bool there, std::uint32_t tag) const {
        std::uint32_t word;
        if constexpr (of_word == 1) {
            word = float_bits(x);
        } else {
            const float other = shuffle_xor(x, 1);
            word = n % 2 ? rounded_pair<T>(other, x) : rounded_pair<T>(x, other);
        }
        if (!there) return;
        if constexpr (std::is_same_v<B, typename Model::Heads>) {
            if (n % of_word == 0)
                publish(words<B>() + this->own_row() * (3 * S::width / of_word) + n / of_word, word, tag);
        } else {
            INLAY_UNROLL
            for (int i = 0; i < S::copies; i += of_word)
                if (i + n % of_word < S::copies)
                    publish(words<B>() + (i + n % of_word) * copy_words<B> + this->own_row() * row_words<B> +
                                n / of_word,
                            word, tag);
        }
    }

    __device__ INLAY_INLINE void embed(int round, std::uint32_t tag) const {
        if (warp_index() >= this->batch()) return;
        const int row = this->own_row();
        int token = a.state[row].token;
        if (pass > 0) {
            token = answer(written<typename Model::Embed, typename Model::Answer>(round, tag));
            if (block() == 0 && lane_index() == 0) a.output[row * a.passes + pass - 1] = token;
        }
        if constexpr (sampled) chooser(row).mark_seen(token);
        const ColumnRange own = this->template columns<typename Model::Embed>();
        for (int n = own.first + of_word * lane_index(); n < own.end; n += of_word * warp_size) {
            const auto word = [&](const T* of) {
                return values_of<T>(*reinterpret_cast<const std::uint32_t*>(of + n));
            };
            const auto x = word(a.tokens + static_cast<index_t>(token) * S::width),
                       y = word(a.positions + static_cast<index_t>(position(row)) * S::width);
            for (int i = 0; i < S::copies; ++i)
                publish(words<typename Model::Row>() + i * copy_words<typename Model::Row> +
                            row * row_words<typename Model::Row> + n / of_word,
                        word_of<T>(x.v[0] + y.v[0], x.v[of_word - 1] + y.v[of_word - 1]), tag);
        }
    }

    /// Waits for rows of `Count` words and stores them in shared memory, `to_pitch` words apart.
    template <int Count>
    __device__ INLAY_INLINE void receive_to(std::uint32_t* to, int to_pitch, const std::uint64_t* from,
                                            std::uint32_t tag) const {
        constexpr int row_turns = (Count + threads - 1) / threads, turns = S::batch == 1 ? row_turns : 12;
        const int all = this->batch() * Count;
#pragma unroll 1
        for (int begin = 0; begin < all; begin += turns * threads) {
            std::uint32_t word[turns];
            receive(word, from, begin + thread_index(), threads, all, tag);
            INLAY_UNROLL
            for (int i = 0; i < turns; ++i) {
                const int n = begin + thread_index() + i * threads, row = S::batch == 1 ? 0 : n / Count;
                if (n < all) to[row * to_pitch + (n - row * Count)] = word[i];
            }
        }
    }
    /// Waits for rows, and stores their norms as the input of a product. A row is that of all warps, or of two where
    /// there are several rows, whose threads keep their words in registers; moments of warps are merged in their order,
    /// by Chan.
    __device__ INLAY_INLINE void receive_normal(const T* scale, const T* shift, const std::uint64_t* from,
                                                std::uint32_t tag) const {
        constexpr int all_words = S::width / of_word, row_warps = threads / warp_size / S::batch,
                      row_threads = row_warps * warp_size, turns = (all_words + row_threads - 1) / row_threads;
        static_assert(all_words % warp_size == 0);
        const auto count = [](int warp) {  // words of each of its lanes
            int n = 0;
            INLAY_UNROLL
            for (int i = 0; i < turns; ++i) n += warp * warp_size + i * row_threads < all_words ? 1 : 0;
            return n;
        };
        const int row = S::batch == 1 ? 0 : warp_index() / row_warps, warp = warp_index() - row * row_warps,
                  thread = thread_index() - row * row_threads, end = row < this->batch() ? all_words : 0;
        std::uint32_t scales[turns] = {}, shifts[turns] = {}, word[turns];
        INLAY_UNROLL
        for (int i = 0; i < turns; ++i) {
            const int n = thread + i * row_threads;
            if (n >= end) continue;
            scales[i] = reinterpret_cast<const std::uint32_t*>(scale)[n];
            shifts[i] = reinterpret_cast<const std::uint32_t*>(shift)[n];
        }
        receive(word, from + row * row_words<typename Model::Row>, thread, row_threads, end, tag);
        float(*const moments)[2] = shared().moments + row * row_warps;
        constexpr int used = smaller(all_words / warp_size, row_warps);
        if (warp < used) {
            const int own = count(warp);
            constexpr float of_value = 1.0f / of_word;
            const float each = own == turns ? of_value / turns : turns > 1 ? of_value / (turns - 1) : 0.0f;
            float mean = 0, square = 0, half = static_cast<float>(own) * (0.5f * of_word);
            INLAY_UNROLL
            for (int i = 0; i < turns; ++i)
                if (i < own) mean += sum_of<T>([&](int e) { return values_of<T>(word[i]).v[e]; });
            mean *= each;
            INLAY_UNROLL
            for (int i = 0; i < turns; ++i) {
                if (i < own)
                    square += sum_of<T>([&](int e) {
                        const float off = values_of<T>(word[i]).v[e] - mean;
                        return off * off;
                    });
            }
            INLAY_UNROLL
            for (int apart = 1; apart < warp_size; apart *= 2, half *= 2) {
                const float to = shuffle_xor(mean, apart), apart_by = to - mean;
                square += shuffle_xor(square, apart) + apart_by * apart_by * half;
                mean = (mean + to) * 0.5f;
            }
            if (lane_index() == 0) moments[warp][0] = mean, moments[warp][1] = square;
        }
        named_barrier(1, threads);
        float means[used], all = 0, squares = 0;
        INLAY_UNROLL
        for (int i = 0; i < used; ++i) {
            const uint2 m = reinterpret_cast<const uint2*>(moments)[i];
            means[i] = float_of_bits(m.x), squares += float_of_bits(m.y);
            all += means[i] * (static_cast<float>(of_word * warp_size * count(i)) / S::width);
        }
        INLAY_UNROLL
        for (int i = 0; i < used; ++i) {
            const float off = means[i] - all;
            squares += off * off * static_cast<float>(of_word * warp_size * count(i));
        }
        const float by = reciprocal_sqrt(squares * (1.0f / S::width) + a.epsilon);
        std::uint32_t* const to =
            reinterpret_cast<std::uint32_t*>(shared().input) + (S::batch == 1 ? 0 : row * (row_pitch / of_word));
        INLAY_UNROLL
        for (int i = 0; i < turns; ++i) {
            const int n = thread + i * row_threads;
            if (n >= end) continue;
            const auto v = values_of<T>(word[i]), g = values_of<T>(scales[i]), h = values_of<T>(shifts[i]);
            constexpr int e = of_word - 1;
            to[n] = word_of<T>((v.v[0] - all) * by * g.v[0] + h.v[0], (v.v[e] - all) * by * g.v[e] + h.v[e]);
        }
        input_barrier<typename Role::Narrow>();
    }

    /// Between a product's input and its loop. Of one sequence a warp has stored what it multiplies by itself: word n,
    /// of thread n modulo all, is in slot n / 32. Nothing else reads the input, so no other warp waits for it.
    template <class Product>
    __device__ INLAY_INLINE static void input_barrier() {
        if constexpr (S::batch == 1) {
            static_assert(Product::length == of_word * warp_size && Product::threads == threads);
            warp_sync();
        } else {
            named_barrier(1, threads);
        }
    }
    /// Octets of columns whose weights are in registers before the input is there: those of the products that many
    /// blocks share, as far as there are registers. In fp32 there are none: a warp has two or six slots of the sum.
    template <class Phase>
    static constexpr int early = S::batch > 1 || M != DecoderMemory::all || of_word == 1 ? 0
                                 : Phase::tiles > S::width                               ? 3
                                                                                         : 1;
    /// A phase that is a product: its input waits for `From`, with a norm if there is a `scale`; the epilogue's slots
    /// are the bias and, of `Residual`, the row that the result is added to.
    template <class Phase, class From, class To, class Epilogue, class Residual>
    __device__ INLAY_INLINE void product(int round, const OwnTag& tag, const T* DecoderLayer<T>::*bias, const T* scale,
                                         const T* shift) const {
        constexpr bool wide = std::is_same_v<From, typename Model::Inner>;
        using Product = std::conditional_t<wide, typename Role::Wide, typename Role::Narrow>;
        const ColumnRange own = this->template columns<Phase>();
        const T* const read_once = M == DecoderMemory::all ? this->layer(round).*bias : nullptr;
        const auto slots_of = [&](float(&slots)[2], int n, bool there) {
            if (!there) return;
            const T* const biases = M == DecoderMemory::all ? read_once : this->layer(round).*bias;
            slots[0] = to_float(biases[Role::template stored_column<Phase>(n)]);
            if constexpr (!std::is_void_v<Residual>) {
                const auto v =
                    values_of<T>(receive(own_copy<Residual>() + this->own_row() * row_words<Residual> + n / of_word,
                                         written<Phase, Residual>(round, tag)));
                slots[1] = n % of_word ? v.v[of_word - 1] : v.v[0];
            }
        };
        // The first piece's weights and slots are read before the wait.
        const auto weights = Product::template first_piece<early<Phase>>(ring, own);
        float slots[2] = {};
        if (warp_index() < this->batch())
            slots_of(slots, own.first + lane_index(), own.first + lane_index() < own.end);
        if constexpr (std::is_same_v<Phase, typename Model::Qkv> || std::is_same_v<Phase, typename Model::Up>) {
            receive_normal(scale, shift, own_copy<From>(), written<Phase, From>(round, tag));
        } else if constexpr (std::is_same_v<Phase, typename Model::Project>) {
            Role::Attention::receive_merged(
                shared().input, row_pitch, this->batch(), this->parts(), [&](int row) { return position(row); },
                own_copy<From>(), written<Phase, From>(round, tag));
            input_barrier<Product>();
        } else {
            receive_to<row_words<From>>(reinterpret_cast<std::uint32_t*>(shared().input), inner_pitch / of_word,
                                        own_copy<From>(), written<Phase, From>(round, tag));
            input_barrier<Product>();
        }
        Product::run(ring, weights, shared().input, wide ? inner_pitch : row_pitch, this->batch(), shared().sums, own,
                     [&](int n, float sum, bool there) {
                         if (n - own.first >= Product::columns) slots_of(slots, n, there);
                         publish_columns<To>(n, value_of<Epilogue, sizeof(T) == 2>(sum, slots), there, tag);
                     });
        // All warps have read the input at the last barrier of the product; the next sums take the other half.
    }

    __device__ INLAY_INLINE void vocabulary(int round, const OwnTag& tag) const {
        using Phase = typename Model::Vocabulary;
        receive_normal(a.norm, a.norm_shift, own_copy<typename Model::Row>(),
                       written<Phase, typename Model::Row>(round, tag));
        const ColumnRange own = this->template columns<Phase>();
        float most = -INFINITY;
        int token = own.first;  // stays where no logit is a number: the next pass reads the row of this token
        Role::Narrow::run(ring, typename Role::Narrow::template Weights<0>{}, shared().input, row_pitch, this->batch(),
                          shared().sums, own,
                          [&](int n, float sum, bool there) {
                              if (!there) return;
                              float x = sum;
                              if constexpr (sampled) x = chooser(this->own_row()).score(n, sum);
                              better(most, token, x, n);
                              if (a.logits) {
                                  const int of = S::batch == 1 ? pass : this->own_row() * a.passes + pass;
                                  a.logits[static_cast<index_t>(of) * S::vocabulary + n] = sum;
                              }
                          });
        if (warp_index() < this->batch()) {
            token = best_of_lanes(most, token);
            if (lane_index() == 0) {
                publish(winner_words() + 2 * block(), float_bits(most), tag);
                publish(winner_words() + 2 * block() + 1, static_cast<std::uint32_t>(token), tag);
            }
        }
    }
};

}  // namespace inlay::inline INLAY_ABI::on_gpu
