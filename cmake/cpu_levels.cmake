# mercer_cpu_levels(source): compiles one source once per CPU level. Each copy defines MERCER_LEVEL
# and lives in the namespace of that name, so that no symbol is shared between levels.
function(mercer_cpu_levels source)
  set(levels baseline)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
    list(APPEND levels v3 v4)
  endif()
  get_filename_component(stem ${source} NAME_WE)
  file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${source})
  foreach(level IN LISTS levels)
    set(copy ${PROJECT_BINARY_DIR}/generated/levels/${stem}_${level}.cpp)
    file(CONFIGURE OUTPUT ${copy} @ONLY
         CONTENT "#define MERCER_LEVEL ${level}\n#include \"${path}\"\n")
    set_source_files_properties(${copy} PROPERTIES OBJECT_DEPENDS
                                ${CMAKE_CURRENT_SOURCE_DIR}/${source})
    # GCC may not contract a*b+c on its own (-ffp-contract=off): vecmath.h says where it wants fma.
    if(level STREQUAL v3)
      set_source_files_properties(${copy} PROPERTIES COMPILE_OPTIONS
                                  "-march=x86-64-v3;-O3")
    elseif(level STREQUAL v4)
      set_source_files_properties(${copy} PROPERTIES COMPILE_OPTIONS
                                  "-march=x86-64-v4;-mprefer-vector-width=512;-O3")
    else()
      set_source_files_properties(${copy} PROPERTIES COMPILE_OPTIONS "-O3")
    endif()
    target_sources(mercer PRIVATE ${copy})
  endforeach()
endfunction()
