// libpng: the pictures of our tiles encoded anew, one thread.
//
//     png PICTURES FOLDER SUFFIX RUNS     PICTURES has 0.png, 1.png and so on
//
// Each with its own palette and as many bits a pixel as it has in our file, at level 6 and without
// filters, which is what libpng itself chooses for palettes.

#include "measure.hpp"

#include <csetjmp>
#include <cstring>
#include <png.h>

namespace {

struct Picture {
    png_uint_32 width = 0, height = 0;
    int bits = 0;
    std::vector<png_color> palette;
    std::vector<png_byte> alphas;
    std::vector<png_byte> indices;  // a byte a pixel
    size_t fileBytes = 0;
};

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "png: %s\n", what.c_str());
    std::exit(1);
}

struct Input {
    const std::vector<png_byte>& bytes;
    size_t next = 0;
};

void take(png_structp png, png_bytep room, png_size_t count) {
    auto* input = static_cast<Input*>(png_get_io_ptr(png));
    if (input->next + count > input->bytes.size()) png_error(png, "the file ends early");
    std::memcpy(room, input->bytes.data() + input->next, count);
    input->next += count;
}

void give(png_structp png, png_bytep bytes, png_size_t count) {
    auto* output = static_cast<std::vector<png_byte>*>(png_get_io_ptr(png));
    output->insert(output->end(), bytes, bytes + count);
}

void flush(png_structp) {}

std::vector<png_bytep> rowsOf(Picture& picture) {
    std::vector<png_bytep> rows(picture.height);
    for (png_uint_32 row = 0; row < picture.height; ++row)
        rows[row] = picture.indices.data() + size_t(row) * picture.width;
    return rows;
}

Picture decoded(const std::vector<png_byte>& file) {
    Picture picture;
    Input input{file};
    std::vector<png_bytep> rows;
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png))) fail("a picture cannot be read");
    png_set_read_fn(png, &input, take);
    png_read_info(png, info);
    int colorType = 0;
    png_get_IHDR(png, info, &picture.width, &picture.height, &picture.bits, &colorType, nullptr,
                 nullptr, nullptr);
    if (colorType != PNG_COLOR_TYPE_PALETTE) fail("a picture has no palette");
    png_colorp palette = nullptr;
    int count = 0;
    png_get_PLTE(png, info, &palette, &count);
    picture.palette.assign(palette, palette + count);
    png_bytep alphas = nullptr;
    if (png_get_tRNS(png, info, &alphas, &count, nullptr) & PNG_INFO_tRNS)
        picture.alphas.assign(alphas, alphas + count);
    png_set_packing(png);
    png_read_update_info(png, info);
    picture.indices.resize(size_t(picture.width) * picture.height);
    rows = rowsOf(picture);
    png_read_image(png, rows.data());
    png_destroy_read_struct(&png, &info, nullptr);
    picture.fileBytes = file.size();
    return picture;
}

void encode(Picture& picture, std::vector<png_bytep>& rows, std::vector<png_byte>& out) {
    out.clear();
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    if (setjmp(png_jmpbuf(png))) fail("a picture cannot be written");
    png_set_write_fn(png, &out, give, flush);
    png_set_compression_level(png, 6);
    png_set_IHDR(png, info, picture.width, picture.height, picture.bits, PNG_COLOR_TYPE_PALETTE,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, picture.palette.data(), int(picture.palette.size()));
    if (!picture.alphas.empty())
        png_set_tRNS(png, info, picture.alphas.data(), int(picture.alphas.size()), nullptr);
    png_write_info(png, info);
    png_set_packing(png);
    png_write_image(png, rows.data());
    png_write_end(png, nullptr);
    png_destroy_write_struct(&png, &info);
}

std::string spread(const char* name, const std::vector<peer::Spread>& runs) {
    std::vector<double> p50, p99, mean;
    for (auto& run : runs) {
        p50.push_back(run.p50);
        p99.push_back(run.p99);
        mean.push_back(run.mean);
    }
    char text[160];
    std::snprintf(text, sizeof text, "\"%s\":{\"p50\":%.3f,\"p99\":%.3f,\"mean\":%.3f}", name,
                  peer::median(p50), peer::median(p99), peer::median(mean));
    return text;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 5) fail("needs PICTURES FOLDER SUFFIX RUNS");
    std::vector<Picture> pictures;
    for (int number = 0;; ++number) {
        std::ifstream file(std::string(argv[1]) + "/" + std::to_string(number) + ".png",
                           std::ios::binary);
        if (!file) break;
        pictures.push_back(decoded(std::vector<png_byte>(
            std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>())));
    }
    if (pictures.empty()) fail("there are no pictures");
    const int runs = std::atoi(argv[4]);
    std::vector<peer::Spread> wall, processor;
    double bytes = 0, ours = 0;
    for (int run = 0; run < runs; ++run) {
        std::vector<double> walls, processors;
        bytes = ours = 0;
        for (auto& picture : pictures) {
            std::vector<png_byte> out;
            auto rows = rowsOf(picture);
            peer::Times times = peer::timed([&] { encode(picture, rows, out); });
            walls.push_back(times.wall);
            processors.push_back(times.processor);
            bytes += out.size();
            ours += picture.fileBytes;
            if (run == 0 && decoded(out).indices != picture.indices)
                fail("a picture is another one when it is read back");
        }
        wall.emplace_back(walls);
        processor.emplace_back(processors);
    }
    const double count = pictures.size();
    const char* who = "libpng level 6";
    std::printf("{\"name\":\"tile.png.%s\",\"who\":\"%s\",\"unit\":\"us\",%s,%s,\"calls\":%zu,"
                "\"runs\":%d,\"note\":\"the same pictures\",\"check\":\"read back\"}\n",
                argv[3], who, spread("wall", wall).c_str(), spread("cpu", processor).c_str(),
                pictures.size(), runs);
    std::printf("{\"name\":\"tile.png-size.%s\",\"who\":\"%s\",\"unit\":\"B\",\"wall\":{\"p50\":%.1f,"
                "\"p99\":0,\"mean\":%.1f},\"cpu\":{\"p50\":%.1f,\"p99\":1,\"mean\":%.1f},"
                "\"calls\":%zu,\"runs\":1,\"note\":\"ours are %.3f times as large\"}\n",
                argv[3], who, bytes / count, bytes / count, bytes / count, bytes / count,
                pictures.size(), ours / bytes);
}
