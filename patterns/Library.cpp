//===- Library.cpp - cards that are always in scope, and files beside them ===//

#include "patterns/Ast.h"
#include "patterns/LibraryData.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace jacquard;

std::string_view jacquard::libraryCard(std::string_view name) {
  for (const LibraryEntry &entry : libraryEntries)
    if (entry.name == name)
      return entry.text;
  return {};
}

std::vector<std::string_view> jacquard::libraryNames() {
  std::vector<std::string_view> names;
  for (const LibraryEntry &entry : libraryEntries)
    names.push_back(entry.name);
  return names;
}

std::string_view jacquard::cardSchema() { return schemaText; }

namespace {
class FileLoader : public CardLoader {
public:
  std::optional<SourceText> load(const std::string &use,
                                 const SourceText &from) override {
    if (std::string_view text = libraryCard(use); !text.empty())
      return SourceText{"library/" + use + ".json", std::string(text)};
    llvm::StringRef extension = llvm::sys::path::extension(use);
    if (extension != ".json" && extension != ".jac")
      return std::nullopt;
    llvm::SmallString<256> path(llvm::sys::path::parent_path(from.name));
    llvm::sys::path::append(path, use);
    llvm::sys::path::remove_dots(path);
    if (!llvm::sys::fs::is_regular_file(path))
      return std::nullopt;
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false);
    if (!buffer || (*buffer)->getBufferSize() > largestCard)
      return std::nullopt;
    return SourceText{path.str().str(), (*buffer)->getBuffer().str()};
  }
};
} // namespace

std::unique_ptr<CardLoader> jacquard::fileLoader() {
  return std::make_unique<FileLoader>();
}
