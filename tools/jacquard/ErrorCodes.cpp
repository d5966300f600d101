//===- ErrorCodes.cpp - what each code means ------------------------------===//

#include "ErrorCodes.h"
#include "patterns/Codes.h"

#include <algorithm>

using namespace jacquard;

/// What to do about a code of cards; their meanings are the language's.
static constexpr CodeMeaning cardCures[] = {
    {"E0101", "The message says what was expected; a missing parenthesis or "
              "operator before the "
              "caret is the usual reason."},
    {"E0102", "Write a < b and b < c."},
    {"E0103", "Name parts of the expression by `let`."},
    {"E0104", "Ints lie between -2147483648 and 2147483647."},
    {"E0105", "Choose another name."},
    {"E0106", "Every name is declared once, across parameters, tensors, "
              "selections and lets."},
    {"E0107",
     "min <= default <= max must hold, and calls must stay within the limits."},
    {"E0108", "Tensors are int or float with at most 4 axes of at least 1; "
              "`sorted` is for int "
              "tensors with an axis, `grad` for float ones."},
    {"E0109", "blocks takes q_block and k_block, token_blocks k_block, "
              "intervals none; each at "
              "least 1."},
    {"E0110",
     "In the text form parameters come first, then tensors, then selections."},
    {"E0111", "The caret stands where the reader gave up."},
    {"E0112", "Remove one of the two: which was meant can't be known."},
    {"E0113",
     "A card needs \"jacquard\": 1 and a name; tensors need type and shape."},
    {"E0114", "Newer cards need a newer Jacquard."},
    {"E0115", "The note lists what is allowed."},
    {"E0116", "The note names the nearest known key."},
    {"E0117", "Data do not belong on a card: declare a tensor."},
    {"E0118", "Call fewer patterns, or name shared parts by `let`."},
    {"E0121", "The note names the nearest one."},
    {"E0122",
     "Only int becomes float by itself; compare with != 0 to make a bool."},
    {"E0123", "Which pairs are kept can't depend on logits; use q, k, h, b and "
              "tensors."},
    {"E0124",
     "Tensors are indexed once per axis; selections stand by their bare name."},
    {"E0125", "Divide by something else."},
    {"E0126", "The message says which argument; `jacquard fmt NAME` shows a "
              "library pattern."},
    {"E0127",
     "Files are named relative to the card; the cause is printed below."},
    {"E0128", "Break the circle that the message spells out."},
    {"E0129", "Declare \"sink\" on the outermost card only."},
    {"E0130",
     "Use it or remove it: a tensor that has no effect is usually a mistake."},
    {"E0119", "Save it as UTF-8."},
    {"E0131", "Read the tensor in keep or score, or remove its declaration."},
    {"E0132", "Take the character out."},
};

static constexpr ErrorCode table[] = {
    {"E0001", "There is no such card.",
     "Give a file that can be read, or a name that `jacquard library` lists."},
    // Problems and data.
    {"E0301", "A batch size or a number of heads is negative.",
     "Give 0 or more."},
    {"E0302", "A length, or the lengths per batch element, are impossible.",
     "One length per batch element, each between 0 and the array's; cu_seqlens "
     "begin "
     "with 0 and never fall."},
    {"E0303", "The query heads are no multiple of the KV heads.",
     "Each KV head serves the same number of query heads."},
    {"E0304", "It is not known where queries stand among the keys.",
     "With different lengths give q_offset, or align top_left (row 0 is "
     "position 0) or "
     "bottom_right (the last row is the last key)."},
    {"E0305", "A parameter's value is outside its limits or of the wrong type.",
     "`jacquard fmt CARD` shows the limits."},
    {"E0306", "Something that the pattern reads was not given.",
     "Give it, or let the command make random data."},
    {"E0307", "A tensor or selection has the wrong shape.",
     "Each axis has the declared size, or 1 to broadcast."},
    {"E0308", "A tensor or selection has the wrong element type.",
     "int tensors and selections are int32; float tensors f32, f16 or bf16, as "
     "the "
     "kernel was prepared for."},
    {"E0309", "A tensor that is declared sorted is not.",
     "Sort it along its last axis, or declare it without `sorted`."},
    {"E0310", "The pattern has nothing of this name.",
     "The note names the nearest."},
    {"E0311", "An operand has the wrong element type.",
     "q, k, v and out have the type that the kernel was prepared for; lse is "
     "f32."},
    {"E0312", "An operand has the wrong shape.",
     "q [batch, heads, q_len, dim], k and v [batch, kv_heads, k_len, dim]."},
    {"E0313", "An operand's strides can't be used.",
     "The last axis has stride 1, and nothing that is written has stride 0."},
    {"E0314", "The scale is not finite.",
     "Leave it out for 1 / sqrt(head dim)."},
    {"E0315", "A computed index lies outside its tensor.",
     "Looked at in the checked mode, for every kept pair; otherwise clamped."},
    {"E0401", "A plan was used with an operator that did not make it.",
     "Make a plan with the operator that runs it."},
    {"E0402", "There is no memory for scratch.",
     "Use fewer threads or smaller dims."},
    {"E0403", "The operator was prepared without its backward pass.",
     "Prepare it with backward set."},
    // The command.
    {"E0501", "A .npy file can't be used.",
     "Files of format 1 to 3, C order, little endian '<f4', '<f2', '<i4', "
     "'<i8' (values "
     "within 32 bits) are read, and bf16 as '<u2' with --dtype bf16."},
    {"E0502", "A file can't be opened.", "Check its name and rights."},
    {"E0503", "A file can't be written.",
     "Check the folder, its rights and the space left; nothing was changed."},
    {"E0504", "An option takes NAME=VALUE.", "For example -p window=1024."},
    {"E0505", "A parameter's value is no number.",
     "Give a number, true or false."},
    {"E0506", "Something is given twice.", "Remove one."},
    {"E0507", "An index or a size on the command line is out of range.",
     "The message names the limit."},
    {"E0508", "q, k or v are missing.",
     "Give --query, --key and --value files, or --random."},
    {"E0509", "The files of q, k, v and the options disagree on sizes.",
     "Leave the sizes out: they follow from the files."},
    {"E0510", "A result is farther from the reference than rounding explains.",
     "This is a fault of a kernel: report the command line, with its seed."},
    {"E0511", "A variable of the environment has a value that can't be used.",
     "`jacquard config` lists them."},
    {"E0512", "There is no memory left.",
     "Use smaller lengths or fewer heads."},
    {"E0513", "stdout can't be written.", "Check where it leads."},
    {"E0514", "The card is no file that could be changed in place.",
     "Leave -i out, and send the output to a file."},
    {"E0515", "There is no such code.",
     "Codes are printed in brackets after errors."},
    {"E0516", "No BLAS library was found.",
     "Install libopenblas0, or leave --blas out."},
    {"E0599", "A fault of this program.", "Report the command line."},
    // Compilation.
    {"E0601", "A head dim or an element type is outside what this build takes.",
     "The message names the limits."},
    {"E0602", "A schedule does not fit the target.",
     "Leave it out: the default fits."},
    {"E0699", "A phase of the compilation failed.",
     "This is a fault of Jacquard: report the card and the message."},
};

std::vector<ErrorCode> jacquard::errorCodes() {
  std::vector<ErrorCode> codes(std::begin(table), std::end(table));
  for (const CodeMeaning &card : cardCodes) {
    ErrorCode code{card.code, card.meaning, {}};
    for (const CodeMeaning &cure : cardCures)
      if (cure.code == card.code)
        code.cure = cure.meaning;
    codes.push_back(code);
  }
  std::sort(
      codes.begin(), codes.end(),
      [](const ErrorCode &a, const ErrorCode &b) { return a.code < b.code; });
  return codes;
}
