// SPDX-License-Identifier: Apache-2.0
/// inlay-minilm: sentence embeddings by a BERT encoder, all-MiniLM-L6-v2 or one of its form, from the command line.
#include "options.hpp"

#include <CLI/CLI.hpp>

#include <exception>
#include <iostream>
#include <new>

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
    CLI::App app{"Sentence embeddings by all-MiniLM-L6-v2, whose layers are planned: a line of numbers a sentence."};
    app.footer(examples);
    app.add_option("--model", o.model, "folder with config.json and model.safetensors")->type_name("DIR");
    app.add_option("--ids", o.ids, "file of token ids, a line a sentence, as its tokenizer made them")
        ->type_name("FILE");
    app.add_option("ids", o.words, "token ids of one sentence");
    app.add_option("--batch", o.batch, "sentences at once, padded to the longest")->capture_default_str();
    app.add_option("--threads", o.threads, "of the CPU; 0: all")->check(CLI::Range(0, 1024))->capture_default_str();
    app.add_flag("--explain", o.explain, "print the kernels for the first sentences instead of running");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& e) {
        return app.exit(e);
    }
    try {
        embeddings().run(o);
        return 0;
    } catch (const std::bad_alloc&) {
        std::cerr << "inlay: out of memory\n";
    } catch (const std::exception& e) {
        std::cerr << e.what() << "\n";
    }
    return 1;
}
