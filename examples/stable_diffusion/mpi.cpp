// SPDX-License-Identifier: Apache-2.0
#include "ranks.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>

namespace {

/// Set by the launchers of Open MPI, MPICH and its kin, and PMIx. MPI alone would start a helper of its own.
bool launched() {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"})
        if (std::getenv(name)) return true;
    return false;
}

}  // namespace

Ranks::Ranks() {
    if (!launched()) return;
    MPI_Init(nullptr, nullptr);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    MPI_Comm machine;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &machine);
    MPI_Comm_rank(machine, &local_);
    MPI_Comm_free(&machine);
}

Ranks::~Ranks() {
    if (launched()) MPI_Finalize();
}

std::vector<std::string> Ranks::gather(const std::string& text) const {
    if (size_ == 1) return {text};
    const auto n = static_cast<std::size_t>(size_);
    const int length = static_cast<int>(text.size());
    std::vector<int> lengths(n), places(n);
    MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, MPI_COMM_WORLD);
    int total = 0;
    for (std::size_t r = 0; r < n; ++r) {
        places[r] = total;
        total += lengths[r];
    }
    std::string joined(static_cast<std::size_t>(total), '\0');
    MPI_Allgatherv(text.data(), length, MPI_CHAR, joined.data(), lengths.data(), places.data(), MPI_CHAR,
                   MPI_COMM_WORLD);
    std::vector<std::string> all;
    for (std::size_t r = 0; r < n; ++r)
        all.push_back(joined.substr(static_cast<std::size_t>(places[r]), static_cast<std::size_t>(lengths[r])));
    return all;
}

void Ranks::exchange(const void* mine, void* others, std::size_t bytes, int with) const {
    const int count = static_cast<int>(bytes);
    MPI_Sendrecv(mine, count, MPI_BYTE, with, 0, others, count, MPI_BYTE, with, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

void Ranks::end_all(int status, const std::string& sentence) const {
    std::fprintf(stderr, "%s (rank %d of %d)\n", sentence.c_str(), rank_, size_);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, status);
    std::abort();
}
