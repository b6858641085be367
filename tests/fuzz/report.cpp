// What `leat report` reads: results of leat compare and leat sim, and traces of bubbles.
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bubble_page.hpp"
#include "fuzz/memory_file.hpp"
#include "report_page.hpp"
#include "results.hpp"

namespace {

using leat_fuzz::expect;

// A folder with one name in it, which is that of a file in memory.
class folder_of_one {
 public:
  explicit folder_of_one(const std::string& file) {
    std::string made = (std::filesystem::temp_directory_path() / "leat_fuzz.XXXXXX").string();
    expect(::mkdtemp(made.data()) != nullptr, "there is no folder for temporary files");
    path_ = made;
    std::filesystem::create_symlink(file, path_ / "result.json");
  }
  ~folder_of_one() { std::filesystem::remove_all(path_); }
  folder_of_one(const folder_of_one&) = delete;
  folder_of_one& operator=(const folder_of_one&) = delete;

  const std::filesystem::path& path() const noexcept { return path_; }

 private:
  std::filesystem::path path_;
};

std::size_t count(std::string_view page, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = page.find(word); at != std::string_view::npos; at = page.find(word, at + 1)) ++found;
  return found;
}

// Checks that the text of a file stays text: nothing of it begins an element, and each number is one.
void expect_page(std::string_view page, std::size_t scripts) {
  expect(page.starts_with("<!DOCTYPE html>") && page.ends_with("</body></html>\n"), "a page is not whole");
  expect(count(page, "<script") == scripts && count(page, "</script") == scripts, "a file has brought a script");
  for (const char* const bad : {"=\"nan", "=\"-nan", "=\"inf", "=\"-inf"}) {
    expect(page.find(bad) == std::string_view::npos, "a picture has a number that is none");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static leat_fuzz::memory_file file;
  static const folder_of_one folder(file.path());
  const std::string text(reinterpret_cast<const char*>(data), size);
  file.hold(std::as_bytes(std::span(text)));
  const bool trace = text.find("bubble_trace") != std::string::npos;
  try {
    if (trace) expect_page(leat::cli::bubble_page(text, "the file"), 1);
    else expect_page(leat::cli::report_page(leat::cli::read_results(folder.path())), 0);
  } catch (const std::invalid_argument& e) {
    leat_fuzz::expect_named(e.what(), trace ? "the file" : "result.json");
  }
  return 0;
}
