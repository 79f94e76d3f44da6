// SPDX-License-Identifier: Apache-2.0
/// Completion of a program's options by bash, as a script that the program prints.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace program {

/// An option and what may follow it.
struct Completed {
    std::string option;
    bool takes_value, is_path;
    std::vector<std::string> words;
};

inline std::string bash_completion(const std::string& program, const std::vector<Completed>& options) {
    std::string function = "_" + program, names, cases;
    std::ranges::replace(function, '-', '_');
    for (const Completed& o : options) {
        names += (names.empty() ? "" : " ") + o.option;
        if (!o.takes_value) continue;
        cases += "        " + o.option + ") ";
        if (o.is_path) {
            cases += "compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"$word\")";
        } else {
            std::string words;
            for (const std::string& w : o.words) words += (words.empty() ? "" : " ") + w;
            cases += words.empty() ? "COMPREPLY=()"
                                   : "mapfile -t COMPREPLY < <(compgen -W '" + words + "' -- \"$word\")";
        }
        cases += "; return ;;\n";
    }
    return function + "() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n    case ${COMP_WORDS[COMP_CWORD - 1]} in\n" +
           cases + "    esac\n    mapfile -t COMPREPLY < <(compgen -W '" + names + "' -- \"$word\")\n}\ncomplete -F " +
           function + " " + program + "\n";
}

}  // namespace program
