# Writes OUTPUT, a header with the cards of CARDS (a folder) and the schema SCHEMA.

file(GLOB cards ${CARDS}/*.json)
list(SORT cards)
set(entries "")
foreach(card IN LISTS cards)
  get_filename_component(name ${card} NAME_WE)
  file(READ ${card} text)
  string(APPEND entries "    {\"${name}\", R\"card(${text})card\"},\n")
endforeach()
file(READ ${SCHEMA} schema)
file(WRITE ${OUTPUT}.new "// The cards of the library and the schema, as text.
#ifndef JACQUARD_PATTERNS_LIBRARYDATA_H
#define JACQUARD_PATTERNS_LIBRARYDATA_H

#include <string_view>

namespace jacquard {
struct LibraryEntry {
  std::string_view name, text;
};
inline constexpr LibraryEntry libraryEntries[] = {
${entries}};
inline constexpr std::string_view schemaText = R\"card(${schema})card\";
} // namespace jacquard

#endif // JACQUARD_PATTERNS_LIBRARYDATA_H
")
file(COPY_FILE ${OUTPUT}.new ${OUTPUT} ONLY_IF_DIFFERENT)
