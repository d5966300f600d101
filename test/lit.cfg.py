# Tests of the tools: IR through jacquard-opt, and the command itself.

import os

import lit.formats

config.name = "Jacquard"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["Inputs", "unit", "fuzz"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.jacquard_build, "test")

path = [config.jacquard_programs, config.llvm_tools, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
config.substitutions.append(("%cards", config.jacquard_cards))

if os.path.exists(os.path.join(config.jacquard_programs, "jacquard")):
    config.available_features.add("jacquard")
