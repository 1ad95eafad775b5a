# Several files of a folder are compiled as one, which reads Eigen and our own headers once instead of once per file: half
# of the compiler's work. Members of a catalogue, which share the names of their functions (refuse, cost, run), keep them
# in a namespace of the file's name. The presets `clang` and `tsan` compile every file by itself, which shows an include
# that a file forgot.
option(MERCER_UNITY "compile several files of a folder as one" ON)

# How many: twice as many take a seventh less of the compiler's time, and longer after a change of one of them. What is
# built once and not changed, preset `default`, takes more than what is worked on.
set(MERCER_UNITY_FILES 16 CACHE STRING "how many files are compiled as one")

# mercer_unity(target name sources...): compiles these sources of `target` together, a few at a time.
function(mercer_unity target name)
  if(NOT MERCER_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set(count 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${count} / ${MERCER_UNITY_FILES}")
    set_source_files_properties(${source} TARGET_DIRECTORY ${target} PROPERTIES UNITY_GROUP ${name}_${group})
    math(EXPR count "${count} + 1")
  endforeach()
endfunction()
