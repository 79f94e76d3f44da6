// SPDX-License-Identifier: Apache-2.0
/// Headers that are believed, and the one error that each of the others is.
#include <inlay/io/weights/safetensors_header.hpp>

#include "io/folder.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace {

using namespace inlay;
using test::safetensors;

/// The error of reading `file`, without the part that names it.
std::string error_of_bytes(const std::string& file) {
    const std::string error =
        test::error_of([&] { io::read_safetensors_header(std::as_bytes(std::span(file)), "it"); });
    const std::string front = "inlay: it: ";
    return error.starts_with(front) ? error.substr(front.size()) : error;
}
std::string error_of_file(std::string_view header, std::size_t data) {
    return error_of_bytes(safetensors(header, std::string(data, '\0')));
}

TEST(SafetensorsHeader, ReadsAFileWithoutTensors) {
    EXPECT_EQ(error_of_file("{}", 0), "no error");
    EXPECT_EQ(error_of_file("{}      ", 0), "no error") << "the header may be padded with spaces";
    EXPECT_EQ(error_of_file(R"({"__metadata__":{"format":"pt"}})", 0), "no error");
    EXPECT_EQ(error_of_file(R"({"__metadata__":null})", 0), "no error");
}

/// The reference implementation, safetensors 0.8.0, takes each of these too.
TEST(SafetensorsHeader, FurtherFieldsOfATensorAreSkipped) {
    const std::string front = R"({"__metadata__":null,"w":{"dtype":"F32","shape":[1],)",
                      back = R"("data_offsets":[0,4]},"v":{"data_offsets":[4,6],"dtype":"F16","shape":[1]}})";
    for (const char* further :
         {"", R"("x":1,)", R"("x":-1,"y":0.5,"z":1e300,)", R"("x":"F16",)", R"("x":null,"x":true,)", R"("x":[],"y":{},)",
          R"("x":{"dtype":"F16","shape":[[2]],"data_offsets":{"a":[0,{}]}},)", R"("__metadata__":{"dtype":1},)"})
        EXPECT_EQ(error_of_file(front + further + back, 6), "no error") << further;
    EXPECT_EQ(error_of_file(front + R"("x":{"dtype":"F16"},"dtype":"F16",)" + back, 6),
              "tensor 'w' has the field 'dtype' twice");
    EXPECT_EQ(error_of_file(R"({"w":{"x":)" + std::string(1 << 20, '['), 0),
              "the header is not valid JSON at its byte 1048587");
}

/// Sizes of the format's types, in bits: a tensor of eight elements has as many bytes.
TEST(SafetensorsHeader, EveryTypeOfTheFormatHasItsSize) {
    const std::map<std::string, std::size_t> bits = {
        {"BOOL", 8},    {"F4", 4},           {"F6_E2M3", 6},     {"F6_E3M2", 6}, {"U8", 8},   {"I8", 8},
        {"F8_E5M2", 8}, {"F8_E4M3", 8},      {"F8_E8M0", 8},     {"I16", 16},    {"U16", 16}, {"F16", 16},
        {"BF16", 16},   {"F8_E4M3FNUZ", 8},  {"F8_E5M2FNUZ", 8}, {"I32", 32},    {"U32", 32}, {"F32", 32},
        {"C64", 64},    {"F64", 64},         {"I64", 64},        {"U64", 64}};
    EXPECT_EQ(bits.size(), io::stored_types.size());
    const auto error = [](const std::string& type, const std::string& shape, std::size_t bytes) {
        return error_of_file("{\"w\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":[0," +
                                 std::to_string(bytes) + "]}}", bytes);
    };
    for (const auto& [type, size] : bits) {
        EXPECT_EQ(error(type, "[2,4]", size), "no error") << type;
        EXPECT_EQ(error(type, "[0]", 0), "no error") << type;
        EXPECT_NE(error(type, "[2,4]", size + 1), "no error") << type;
        EXPECT_NE(error(type, "[2,4]", size - 1), "no error") << type;
    }
    EXPECT_EQ(error("F4", "[2]", 1), "no error");
    EXPECT_EQ(error("F4", "[3]", 2), "tensor 'w' of shape [3] in F4 has 12 bits, expected whole bytes");
    EXPECT_EQ(error("F6_E2M3", "[5,1]", 4), "tensor 'w' of shape [5, 1] in F6_E2M3 has 30 bits, expected whole bytes");
    EXPECT_EQ(error("F4", "[4]", 4), "tensor 'w' of shape [4] in F4 needs 2 bytes, but its offsets span 4");
}

struct Malformed {
    const char* header;
    std::size_t data;
    const char* error;
};
class MalformedHeader : public testing::TestWithParam<Malformed> {};
TEST_P(MalformedHeader, IsOneErrorThatNamesIt) {
    EXPECT_EQ(error_of_file(GetParam().header, GetParam().data), GetParam().error);
}

#define ONE(fields) "{\"w\":{" fields "}}"
#define F32(shape, offsets) ONE("\"dtype\":\"F32\",\"shape\":" shape ",\"data_offsets\":" offsets)

INSTANTIATE_TEST_SUITE_P(
    Json, MalformedHeader,
    testing::Values(
        Malformed{"", 0, "the header does not begin with '{'"},
        Malformed{" {}", 0, "the header does not begin with '{'"},
        Malformed{"[]", 0, "the header does not begin with '{'"},
        Malformed{"{", 0, "the header is not valid JSON at its byte 2"},
        Malformed{"{}{}", 0, "the header is not valid JSON at its byte 3"},
        Malformed{"{\"w\":}", 0, "the header is not valid JSON at its byte 6"},
        Malformed{"{\"w\xff\":{}}", 0, "the header is not valid JSON at its byte 4"},
        Malformed{"{\"w\":null}", 0, "the header's entry 'w' holds null where none belongs"},
        Malformed{"{\"w\":[]}", 0, "the header's entry 'w' holds an array where none belongs"},
        Malformed{"{\"w\":{}}", 0, "tensor 'w' needs dtype, shape and two data_offsets"},
        Malformed{"{\"w\":{\"w\":{}}}", 0, "tensor 'w' needs dtype, shape and two data_offsets"},
        Malformed{ONE("\"dtype\":{}"), 0, "the header's entry 'w' holds an object where none belongs"},
        Malformed{ONE("\"dtype\":4"), 0, "the header's entry 'w' holds a number where none belongs"},
        Malformed{ONE("\"shape\":\"4\""), 0, "the header's entry 'w' holds a string where none belongs"},
        Malformed{ONE("\"shape\":true"), 0, "the header's entry 'w' holds a boolean where none belongs"},
        Malformed{ONE("\"shape\":[[1]]"), 0, "the header's entry 'w' holds an array where none belongs"},
        Malformed{"{\"__metadata__\":{\"a\":1}}", 0,
                  "the header's entry '__metadata__' holds a number where none belongs"},
        Malformed{"{\"__metadata__\":{},\"__metadata__\":{}}", 0, "the header names '__metadata__' twice"},
        Malformed{ONE("\"dtype\":\"F32\",\"dtype\":\"F32\""), 0, "tensor 'w' has the field 'dtype' twice"},
        Malformed{ONE("\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[],\"data_offsets\":[0,4]"), 4,
                  "tensor 'w' has the field 'data_offsets' twice"},
        Malformed{"{\"w\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]},"
                  "\"w\":{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[4,8]}}",
                  8, "the header names 'w' twice"}));

INSTANTIATE_TEST_SUITE_P(
    Tensor, MalformedHeader,
    testing::Values(
        Malformed{ONE("\"dtype\":\"F31\",\"shape\":[],\"data_offsets\":[0,4]"), 4,
                  "tensor 'w' has the unknown dtype 'F31'"},
        Malformed{ONE("\"dtype\":\"f32\",\"shape\":[],\"data_offsets\":[0,4]"), 4,
                  "tensor 'w' has the unknown dtype 'f32'"},
        Malformed{ONE("\"dtype\":\"\",\"shape\":[],\"data_offsets\":[0,4]"), 4, "tensor 'w' has the unknown dtype ''"},
        Malformed{F32("[-1]", "[0,4]"), 4, "the header's entry 'w' holds a negative number where none belongs"},
        Malformed{F32("[1.0]", "[0,4]"), 4,
                  "the header's entry 'w' holds a fraction or a number past 64 bits where none belongs"},
        Malformed{F32("[18446744073709551616]", "[0,4]"), 4,
                  "the header's entry 'w' holds a fraction or a number past 64 bits where none belongs"},
        Malformed{F32("[9223372036854775808]", "[0,4]"), 4, "tensor 'w' has an extent of 9223372036854775808"},
        Malformed{F32("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
                      "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]",
                      "[0,4]"),
                  4, "tensor 'w' has more than 64 axes"},
        Malformed{F32("[4294967296,4294967296]", "[0,0]"), 0,
                  "tensor 'w' has more elements than fit 64 bits, shape [4294967296, 4294967296]"},
        Malformed{F32("[4611686018427387904]", "[0,0]"), 0,
                  "tensor 'w' has more elements than fit 64 bits, shape [4611686018427387904]"},
        Malformed{F32("[2]", "[0,4]"), 4, "tensor 'w' of shape [2] in F32 needs 8 bytes, but its offsets span 4"},
        Malformed{F32("[0]", "[0,4]"), 4, "tensor 'w' of shape [0] in F32 needs 0 bytes, but its offsets span 4"},
        Malformed{F32("[]", "[0,8]"), 8, "tensor 'w' of shape [] in F32 needs 4 bytes, but its offsets span 8"},
        Malformed{F32("[1]", "[0]"), 4, "tensor 'w' needs dtype, shape and two data_offsets"},
        Malformed{F32("[1]", "[0,4,8]"), 4, "the header's entry 'w' holds a number where none belongs"},
        Malformed{F32("[1]", "[-4,0]"), 4, "the header's entry 'w' holds a negative number where none belongs"},
        Malformed{F32("[1]", "[4,0]"), 4, "tensor 'w' ends at byte 0, before it begins at 4"},
        Malformed{F32("[1]", "[0,4]"), 3, "tensor 'w' ends at byte 4 of the data, which has only 3"},
        Malformed{F32("[2]", "[18446744073709551612,4]"), 4,
                  "tensor 'w' ends at byte 4, before it begins at 18446744073709551612"},
        Malformed{F32("[1]", "[18446744073709551608,18446744073709551612]"), 4,
                  "tensor 'w' ends at byte 18446744073709551612 of the data, which has only 4"}));

#define TWO(a, b)                                                      \
    "{\"v\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":" a "}," \
    "\"w\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":" b "}}"

INSTANTIATE_TEST_SUITE_P(
    Cover, MalformedHeader,
    testing::Values(Malformed{TWO("[0,4]", "[4,8]"), 8, "no error"}, Malformed{TWO("[4,8]", "[0,4]"), 8, "no error"},
                    Malformed{TWO("[0,4]", "[2,6]"), 6, "tensor 'w' begins at byte 2, inside another that ends at 4"},
                    Malformed{TWO("[0,4]", "[0,4]"), 4, "tensor 'w' begins at byte 0, inside another that ends at 4"},
                    Malformed{TWO("[0,4]", "[6,10]"), 10, "bytes 4 to 6 of the data belong to no tensor"},
                    Malformed{TWO("[2,6]", "[6,10]"), 10, "bytes 0 to 2 of the data belong to no tensor"},
                    Malformed{TWO("[0,4]", "[4,8]"), 9, "bytes 8 to 9 of the data belong to no tensor"},
                    Malformed{"{}", 1, "bytes 0 to 1 of the data belong to no tensor"}));

TEST(SafetensorsHeader, HeaderLengthIsNotBelieved) {
    EXPECT_EQ(error_of_bytes(""), "0 bytes are too few to hold a header");
    EXPECT_EQ(error_of_bytes("1234567"), "7 bytes are too few to hold a header");
    std::string file = safetensors("{}");
    file[0] = 3;
    EXPECT_EQ(error_of_bytes(file), "the header claims 3 bytes, but the file holds only 2 after the length");
    file[7] = '\x7f';
    EXPECT_EQ(error_of_bytes(file), "the header claims 9151314442816847875 bytes, the limit is 100000000");
    file = std::string(8, '\xff') + "{}";
    EXPECT_EQ(error_of_bytes(file), "the header claims 18446744073709551615 bytes, the limit is 100000000");
}

TEST(SafetensorsHeader, EveryTruncationOfAFileIsAnError) {
    const std::string whole =
        safetensors(R"({"v":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", "1234");
    ASSERT_EQ(error_of_bytes(whole), "no error");
    for (std::size_t n = 0; n < whole.size(); ++n) EXPECT_NE(error_of_bytes(whole.substr(0, n)), "no error") << n;
}

TEST(SafetensorsHeader, NamesInErrorsStayShortAndOnOneLine) {
    const std::string error = error_of_file("{\"" + std::string(5000, 'x') + "\":null}", 0);
    EXPECT_LT(error.size(), 250u);
    EXPECT_NE(error.find("xxx...'"), std::string::npos);
    EXPECT_EQ(error_of_file("{\"a\\nb\":null}", 0), "the header's entry 'a?b' holds null where none belongs");
}

/// Nesting costs no memory: the first bracket out of place ends the reading.
TEST(SafetensorsHeader, DeepNestingIsOneError) {
    EXPECT_EQ(error_of_file("{\"w\":{\"shape\":" + std::string(1 << 20, '['), 0),
              "the header's entry 'w' holds an array where none belongs");
}

}  // namespace
