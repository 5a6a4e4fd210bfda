# CMake package of triphase: targets triphase::triphase (shared) and triphase::static.
#
#   find_package(triphase 0.1 REQUIRED)
#   target_link_libraries(game PRIVATE triphase::triphase)

get_filename_component(_triphase_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
# On Windows, programs are linked with the import library, and `triphase.lib` is the static one.
find_file(_triphase_shared NAMES libtriphase.so libtriphase.dylib triphase.dll.lib libtriphase.dll.a
  PATHS "${_triphase_prefix}/lib" NO_DEFAULT_PATH NO_CACHE)
find_file(_triphase_static NAMES libtriphase.a triphase.lib PATHS "${_triphase_prefix}/lib" NO_DEFAULT_PATH NO_CACHE)

if(_triphase_shared AND NOT TARGET triphase::triphase)
  add_library(triphase::triphase UNKNOWN IMPORTED)
  set_target_properties(triphase::triphase PROPERTIES
    IMPORTED_LOCATION "${_triphase_shared}"
    INTERFACE_INCLUDE_DIRECTORIES "${_triphase_prefix}/include")
endif()

if(_triphase_static AND NOT TARGET triphase::static)
  find_package(Threads REQUIRED)
  add_library(triphase::static STATIC IMPORTED)
  set_target_properties(triphase::static PROPERTIES
    IMPORTED_LOCATION "${_triphase_static}"
    INTERFACE_INCLUDE_DIRECTORIES "${_triphase_prefix}/include"
    INTERFACE_LINK_LIBRARIES "Threads::Threads;${CMAKE_DL_LIBS};$<$<PLATFORM_ID:Linux>:m>;$<$<PLATFORM_ID:Windows>:ntdll;userenv;ws2_32;dbghelp>")
endif()

if(NOT TARGET triphase::triphase AND NOT TARGET triphase::static)
  set(triphase_FOUND FALSE)
  set(triphase_NOT_FOUND_MESSAGE "no library of triphase in ${_triphase_prefix}/lib")
endif()
