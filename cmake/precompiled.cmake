# Headers of others, parsed once per set of flags instead of once per file: Eigen alone takes a second each time. None
# of ours is among them, so that changing one compiles what includes it and nothing else. Files still include what they
# use: MERCER_PRECOMPILE=OFF shows what they forgot.
option(MERCER_PRECOMPILE "precompile the headers of other projects" ON)

# mercer_precompiled(name headers... ): a target with precompiled headers that others of the same flags use. It has
# nothing to link, so that nobody waits for anything but the headers.
function(mercer_precompiled name)
  set(source ${PROJECT_BINARY_DIR}/generated/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "// Nothing but what is precompiled.\n")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${source})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_compile_definitions(${name} PRIVATE EIGEN_MAX_ALIGN_BYTES=64)
  target_link_libraries(${name} PRIVATE mercer_settings Eigen3::Eigen fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ARGN}
    <Eigen/Core> <fmt/format.h>
    <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <limits> <memory> <numeric> <optional> <span> <string>
    <string_view> <utility> <vector>)
endfunction()

# mercer_precompile(target name): compiles `target` with what `name` has precompiled. It may have definitions of its
# own, but must not lack one.
function(mercer_precompile target name)
  if(NOT MERCER_PRECOMPILE)
    return()
  endif()
  target_precompile_headers(${target} REUSE_FROM ${name})
  # With it ccache sees which precompiled header a file was compiled with; CCACHE_SLOPPINESS in ./dev allows the rest.
  target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
endfunction()
