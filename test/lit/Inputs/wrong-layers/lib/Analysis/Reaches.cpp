#include "Emit/Printer.h"
#include "clang/AST/AST.h"
#include <vector>
#include "clang/AST/RecursiveASTVisitor.h"
