// The images of a folder: its own, or else those of its sub-folders, which are classes then. Sorted
// by name; nothing deeper is looked at.
#pragma once

#include "mercer/core/index.h"

#include <string>
#include <vector>

namespace mercer::detail {

struct ImageFile {
  std::string path;
  std::string name;       // below the folder
  std::string subfolder;  // empty for images of the folder itself
};

/// Empty where there are none. `left_out` counts images in sub-folders of a folder that has its
/// own. Throws M404 and M411 for a folder that cannot be listed.
std::vector<ImageFile> list_images(const std::string& folder, Index& left_out);

}  // namespace mercer::detail
