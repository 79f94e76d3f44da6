// SPDX-License-Identifier: Apache-2.0
/// inlay-minilm: sentence embeddings by a BERT encoder, all-MiniLM-L6-v2 or one of its form, from the command line.
#include "../program/command_line.hpp"
#include "options.hpp"

namespace {

constexpr const char* examples = R"(
Examples:
  inlay-minilm --model build/minilm 101 2023 2003 2019 6251 102
  inlay-minilm --model build/minilm --ids sentences.txt > embeddings.txt
examples/minilm/fetch.sh brings the model, and examples/minilm/compare.py makes token ids and compares the embeddings
with those of transformers.)";

}  // namespace

int main(int argc, char** argv) {
    Options o;
    program::CommandLine line("inlay-minilm",
                              "Sentence embeddings by all-MiniLM-L6-v2, whose layers are planned: a line of numbers a "
                              "sentence.", examples);
    line.path("--model", o.model, "folder with config.json and model.safetensors")->type_name("DIR");
    line.path("--ids", o.ids, "file of token ids, a line a sentence, as its tokenizer made them")->type_name("FILE");
    line.app()
        .add_option("ids", o.words, "token ids of one sentence")
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    line.number("--batch", o.batch, 1, 1024, "sentences at once, padded to the longest");
    line.threads(o.threads);
    line.app().add_flag("--explain", o.explain, "print the kernels for the first sentences instead of running");
    return line.run(argc, argv, [&] {
        embeddings().run(o);
        return 0;
    });
}
