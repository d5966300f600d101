# LLVM and MLIR 22, linked statically.
#
# Debian's MLIR targets name the *shared* LLVM. Mixed with static LLVM components
# that registers every command-line option twice, and the process aborts at start.
# So `LLVM` is replaced by the static components in each MLIR target.

find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "LLVM and MLIR 22 are needed, found ${LLVM_VERSION} in ${MLIR_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
add_definitions(${LLVM_DEFINITIONS_LIST})

llvm_map_components_to_libnames(JACQUARD_LLVM_LIBRARIES
  support core irreader analysis passes target targetparser
  x86codegen x86asmparser x86desc x86info
  nvptxcodegen nvptxdesc nvptxinfo orcjit)

get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
foreach(target IN LISTS imported)
  if(target MATCHES "^MLIR")
    get_target_property(libraries ${target} INTERFACE_LINK_LIBRARIES)
    if("LLVM" IN_LIST libraries)
      list(REMOVE_ITEM libraries LLVM)
      list(APPEND libraries ${JACQUARD_LLVM_LIBRARIES})
      set_target_properties(${target} PROPERTIES
        INTERFACE_LINK_LIBRARIES "${libraries}")
    endif()
  endif()
endforeach()

# jacquard_tablegen(<target> <file.td> <output> <flags...> [...]) groups:
# each output is followed by its flags up to the next name ending in .inc.
function(jacquard_tablegen target source)
  set(LLVM_TARGET_DEFINITIONS ${source})
  set(output "")
  set(flags "")
  foreach(word IN LISTS ARGN)
    if(word MATCHES "\\.inc$")
      if(output)
        mlir_tablegen(${output} ${flags})
      endif()
      set(output ${word})
      set(flags "")
    else()
      list(APPEND flags ${word})
    endif()
  endforeach()
  mlir_tablegen(${output} ${flags})
  add_public_tablegen_target(${target})
endfunction()
