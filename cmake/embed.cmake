# mercer_embed(target name file): makes the bytes of a file available as
#   extern const unsigned char mercer_asset_<name>[];  extern const unsigned long mercer_asset_<name>_size;
# The assembler's .incbin does the work: no generated source of a megabyte, no extra tool.
enable_language(ASM)
function(mercer_embed target name file)
  set(out ${PROJECT_BINARY_DIR}/generated/assets/${name}.S)
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
"  .section .rodata
  .global mercer_asset_${name}
  .global mercer_asset_${name}_size
  .balign 16
mercer_asset_${name}:
  .incbin \"${file}\"
mercer_asset_${name}_end:
  .balign 8
mercer_asset_${name}_size:
  .quad mercer_asset_${name}_end - mercer_asset_${name}
  .section .note.GNU-stack,\"\",%progbits
")
  set_source_files_properties(${out} TARGET_DIRECTORY ${target} PROPERTIES OBJECT_DEPENDS ${file})
  target_sources(${target} PRIVATE ${out})
endfunction()
