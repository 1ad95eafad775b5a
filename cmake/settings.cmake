# Compiler settings shared by every target of this project; none of them reaches a client.
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
  set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
  find_program(MERCER_CCACHE ccache)
  if(MERCER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER ${MERCER_CCACHE})
  endif()
endif()

# GCC looks for memory to use again once it holds 128 MB, which takes a tenth of its time: it holds up to 2 GB at the end
# anyway. So many compilers at a time as there is memory for.
cmake_host_system_information(RESULT memory QUERY TOTAL_PHYSICAL_MEMORY)  # MiB
math(EXPR compilers "${memory} / 2500 + 1")
set_property(GLOBAL APPEND PROPERTY JOB_POOLS compilers=${compilers})
set(CMAKE_JOB_POOL_COMPILE compilers)

add_library(mercer_settings INTERFACE)
target_compile_options(mercer_settings INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=1000000>)
target_compile_options(mercer_settings INTERFACE
  -Wall -Wextra -Wconversion -Wshadow -Wno-sign-conversion -Wno-missing-field-initializers "$<$<CXX_COMPILER_ID:GNU>:-Wno-restrict;-Wno-stringop-overflow>" -fno-math-errno -ffp-contract=off)
if(MERCER_WERROR)
  target_compile_options(mercer_settings INTERFACE -Werror)
endif()
if(MERCER_SANITIZE)
  # GCC's sanitizers make false -Wmaybe-uninitialized reports inside Eigen.
  target_compile_options(mercer_settings INTERFACE -fsanitize=${MERCER_SANITIZE}
    -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(mercer_settings INTERFACE -fsanitize=${MERCER_SANITIZE})
else()
  target_compile_options(mercer_settings INTERFACE -fstack-protector-strong)
  target_link_options(mercer_settings INTERFACE -Wl,-z,relro,-z,now)
endif()
