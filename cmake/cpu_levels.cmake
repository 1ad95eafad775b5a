# mercer_cpu_levels(target source): compiles one source once per CPU level. Each copy defines MERCER_LEVEL
# and lives in the namespace of that name, so that no symbol is shared between levels; precompiled headers, whose
# functions would be shared, are left out.
function(mercer_cpu_levels target source)
  set(levels baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND levels v3 v4)
  endif()
  get_filename_component(stem ${source} NAME_WE)
  get_filename_component(full ${source} ABSOLUTE)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${full})
  foreach(level IN LISTS levels)
    set(copy ${PROJECT_BINARY_DIR}/generated/levels/${stem}_${level}.cpp)
    file(CONFIGURE OUTPUT ${copy} @ONLY
         CONTENT "#define MERCER_LEVEL ${level}\n#include \"${path}\"\n")
    set(flags -O3)
    if(MERCER_SANITIZE)
      set(flags -O1)  # unrolled loops take five times as long to compile with sanitizers, and are the same loops
    endif()
    if(level STREQUAL v3)
      list(APPEND flags -march=x86-64-v3)
    elseif(level STREQUAL v4)
      list(APPEND flags -march=x86-64-v4 -mprefer-vector-width=512)
    endif()
    set_source_files_properties(${copy} TARGET_DIRECTORY ${target} PROPERTIES
                                COMPILE_OPTIONS "${flags}" OBJECT_DEPENDS ${full}
                                SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${target} PRIVATE ${copy})
  endforeach()
endfunction()
