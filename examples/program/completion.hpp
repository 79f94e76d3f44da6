// SPDX-License-Identifier: Apache-2.0
/// Completion of a program's options by bash, zsh and fish, as scripts that the program prints.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace program {

/// An option and what may follow it.
struct Completed {
    std::string option, what;
    bool takes_value, is_path;
    std::vector<std::string> words;

    std::string all_words() const {
        std::string s;
        for (const std::string& w : words) s += (s.empty() ? "" : " ") + w;
        return s;
    }
};

/// The name of a shell function for a program.
inline std::string completion_function(const std::string& program) {
    std::string function = "_" + program;
    std::ranges::replace(function, '-', '_');
    return function;
}
/// Text between single quotes: `quote` for a quote in it, a backslash before each of `special`.
inline std::string escaped(const std::string& text, const std::string& quote, const std::string& special) {
    std::string s;
    for (const char c : text) {
        if (special.find(c) != special.npos) s += '\\';
        if (c == '\'') s += quote;
        else s += c;
    }
    return s;
}

inline std::string bash_completion(const std::string& program, const std::vector<Completed>& options) {
    const std::string function = completion_function(program);
    std::string names, cases;
    for (const Completed& o : options) {
        names += (names.empty() ? "" : " ") + o.option;
        if (!o.takes_value) continue;
        cases += "        " + o.option + ") ";
        if (o.is_path) cases += "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")";
        else if (o.words.empty()) cases += "COMPREPLY=()";
        else cases += "mapfile -t COMPREPLY < <(compgen -W '" + o.all_words() + "' -- \"$word\")";
        cases += "; return ;;\n";
    }
    return function + "() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n    case ${COMP_WORDS[COMP_CWORD - 1]} in\n" +
           cases + "    esac\n    mapfile -t COMPREPLY < <(compgen -W '" + names + "' -- \"$word\")\n}\ncomplete -F " +
           function + " " + program + "\n";
}

/// zsh shows what an option is for. Its completion is started where ~/.zshrc has not.
inline std::string zsh_completion(const std::string& program, const std::vector<Completed>& options) {
    const std::string function = completion_function(program);
    std::string specs;
    for (const Completed& o : options) {
        const std::string values = !o.takes_value      ? ""
                                   : o.is_path         ? ":file:_files"
                                   : !o.words.empty() ? ":word:(" + o.all_words() + ")"
                                                       : ":value: ";
        specs += " \\\n        '" + o.option + (o.takes_value ? "=" : "") + "[" +
                 escaped(o.what, "'\\''", "\\[]") + "]" + values + "'";
    }
    return function + "() {\n    _arguments" + specs +
           "\n}\n(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }\ncompdef " + function + " " +
           program + "\n";
}

/// fish shows what an option is for; files are offered where one is expected.
inline std::string fish_completion(const std::string& program, const std::vector<Completed>& options) {
    std::string lines = "complete -c " + program + " -f\n";
    for (const Completed& o : options) {
        lines += "complete -c " + program + " -l " + o.option.substr(2) + " -d '" + escaped(o.what, "\\'", "\\") + "'";
        if (o.takes_value) lines += o.is_path ? " -r -F" : " -x";
        if (!o.words.empty()) lines += " -a '" + o.all_words() + "'";
        lines += "\n";
    }
    return lines;
}

}  // namespace program
