# mercer_layer(name DEPENDS layer...): adds the sources of one layer to the library.
# DEPENDS states which layers it may include; the test `layers` enforces it.
function(mercer_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DEPENDS")
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp
       ${CMAKE_CURRENT_SOURCE_DIR}/detail/*.cpp ${CMAKE_CURRENT_SOURCE_DIR}/detail/*/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_levels\\.cpp$")
  target_sources(mercer PRIVATE ${sources})
  mercer_unity(mercer ${name} ${sources})
endfunction()
