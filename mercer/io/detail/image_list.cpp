#include "mercer/io/detail/image_list.h"

#include "mercer/core/error.h"
#include "mercer/core/text.h"
#include "mercer/io/detail/image_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace mercer::detail {
namespace {

namespace fs = std::filesystem;

// Names of the entries for which the test holds, sorted.
template <class Test>
std::vector<std::string> entries_of(const std::string& folder, Test test) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    if (test(*entry, ignored)) names.push_back(entry->path().filename().string());
  }
  if (error)
    throw Error(
        error == std::errc::permission_denied ? ErrorCode::no_permission : ErrorCode::read_failed,
        fmt::format("the folder cannot be listed: {}", error.message()), {}, printable(folder));
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> image_names(const std::string& folder) {
  return entries_of(folder, [](const fs::directory_entry& entry, std::error_code& error) {
    return is_image_name(entry.path().filename().string()) && entry.is_regular_file(error);
  });
}

std::vector<std::string> subfolder_names(const std::string& folder) {
  return entries_of(folder, [](const fs::directory_entry& entry, std::error_code& error) {
    return !entry.path().filename().string().starts_with('.') && entry.is_directory(error);
  });
}

}  // namespace

std::vector<ImageFile> list_images(const std::string& folder, Index& left_out) {
  std::vector<ImageFile> images, below;
  for (const std::string& name : image_names(folder))
    images.push_back({fmt::format("{}/{}", folder, name), name, ""});
  for (const std::string& subfolder : subfolder_names(folder))
    for (const std::string& name : image_names(fmt::format("{}/{}", folder, subfolder)))
      below.push_back({fmt::format("{}/{}/{}", folder, subfolder, name),
                       fmt::format("{}/{}", subfolder, name), subfolder});
  if (images.empty()) images.swap(below);
  left_out = static_cast<Index>(below.size());
  return images;
}

}  // namespace mercer::detail
