# Warnings, sections, ccache, lld and sanitizers for every target.

find_program(CCACHE_PROGRAM ccache)
if(CCACHE_PROGRAM)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE_PROGRAM})
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter
                    -ffunction-sections -fdata-sections)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_link_options(-fuse-ld=lld)
endif()
add_link_options(-Wl,--gc-sections)

if(JACQUARD_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(JACQUARD_SANITIZE)
  add_compile_options(-fsanitize=${JACQUARD_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${JACQUARD_SANITIZE})
endif()
