# Installs the library, its headers, the program and the package files for find_package(mercer).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
install(TARGETS mercer EXPORT mercerTargets)
if(MERCER_CLI)
  install(TARGETS mercer_cli)
  set(pages ${PROJECT_BINARY_DIR}/pages)
  install(DIRECTORY ${pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
  install(FILES ${pages}/mercer.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME mercer
          OPTIONAL)
  install(FILES ${pages}/_mercer DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
endif()
install(DIRECTORY mercer/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mercer
        FILES_MATCHING PATTERN "*.h" PATTERN "*.def" PATTERN "detail" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/mercer/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/mercer)
install(EXPORT mercerTargets NAMESPACE mercer::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)
configure_package_config_file(cmake/mercerConfig.cmake.in ${PROJECT_BINARY_DIR}/mercerConfig.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/mercerConfig.cmake ${PROJECT_BINARY_DIR}/mercerConfigVersion.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/mercer)
