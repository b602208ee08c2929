// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "HostMacros.h"

#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "clang/Lex/Preprocessor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace ikra {

/// No program may have a macro of that name, or all of ikra relies on it.
static bool isReserved(llvm::StringRef Name) {
  return Name.starts_with("IKRA_") || Name.contains("__") ||
         (Name.size() > 1 && Name[0] == '_' && llvm::isUpper(Name[1]));
}

/// In the command, or in a file that the command includes.
static bool isInCommand(SourceLocation At, const SourceManager& SM) {
  while (!SM.isWrittenInCommandLineFile(At) && !SM.isWrittenInBuiltinFile(At)) {
    At = SM.getIncludeLoc(SM.getFileID(At));
    if (At.isInvalid())
      return false;
  }
  return true;
}

/// Other names in capitals configure libraries, which emitted code includes.
static bool mayHide(llvm::StringRef Name) {
  return Name.size() == 1 || llvm::any_of(Name, llvm::isLower);
}

MacroNames MacroNames::of(const Preprocessor& PP) {
  MacroNames Out;
  const SourceManager& SM = PP.getSourceManager();
  for (const auto& [Identifier, State] : PP.macros(/*IncludeExternalMacros=*/false)) {
    const std::string Name = Identifier->getName().str();
    const MacroDirective* Latest = State.getLatest();
    if (isReserved(Name) || Latest == nullptr)
      continue;
    if (Latest->isDefined())
      Out.AtEnd.insert(Name);
    const MacroInfo* Info = Latest->getMacroInfo();
    const SourceLocation At = Info != nullptr ? Info->getDefinitionLoc() : SourceLocation();
    if (At.isInvalid() || SM.isInSystemHeader(At) || SM.isWrittenInBuiltinFile(At))
      continue;
    Out.Anywhere.insert(Name);
    if (mayHide(Name) && isInCommand(At, SM))
      Out.InCommand.insert(Name);
  }
  return Out;
}

std::set<std::string> macrosIn(llvm::StringRef Text, const std::set<std::string>& Macros) {
  std::set<std::string> Out;
  if (Macros.empty())
    return Out;
  LangOptions Options;
  Options.CPlusPlus = Options.CPlusPlus20 = Options.LineComment = true;
  const std::string Copy = Text.str(); // ends with 0, as the lexer needs it
  Lexer Raw(SourceLocation(), Options, Copy.data(), Copy.data(), Copy.data() + Copy.size());
  for (Token T; !Raw.LexFromRawLexer(T) || T.isNot(tok::eof);) {
    if (T.is(tok::raw_identifier))
      if (const auto It = Macros.find(T.getRawIdentifier().str()); It != Macros.end())
        Out.insert(*It);
    if (T.is(tok::eof))
      break;
  }
  return Out;
}

std::string putAside(const std::set<std::string>& Macros) {
  std::string Out;
  for (const std::string& Name : Macros)
    Out += "#pragma push_macro(\"" + Name + "\")\n#undef " + Name + "\n";
  return Out;
}

std::string giveBack(const std::set<std::string>& Macros) {
  std::string Out;
  for (const std::string& Name : Macros)
    Out += "#pragma pop_macro(\"" + Name + "\")\n";
  return Out;
}

} // namespace ikra
