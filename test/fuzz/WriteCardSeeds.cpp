//===- WriteCardSeeds.cpp - the library as seeds of fuzz-card
//--------------===//

#include "patterns/Ast.h"

#include <fstream>

using namespace jacquard;

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::string folder = argv[1];
  for (std::string_view name : libraryNames()) {
    std::string own(name), json(libraryCard(name));
    Expected<Ast> ast = parseCard(own, json);
    if (!ast)
      return 1;
    std::ofstream(folder + "/" + own + ".json") << json;
    std::ofstream(folder + "/" + own + ".jac") << printText(*ast);
  }
  return 0;
}
