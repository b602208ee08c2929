// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Drivers: the functions through which the runtime runs a section, or several in one kernel. They
// open a session, give the body its columns and captures, and launch it.

#ifndef IKRA_EMIT_LAUNCH_H
#define IKRA_EMIT_LAUNCH_H

#include "Emit/Code/CodeWriter.h"
#include "Emit/Code/EmitContext.h"

namespace ikra {

/// Declares the body of \p S in a driver that launches \p Last.
/// \p Name of the variable \p Node has the captures \p RootPrefix of captured objects' names
/// \p Ticks how often a thread runs it
void declareBody(EmitContext& Context, const Section& S, const Section& Last,
                 const std::string& Name, const std::string& Node, const std::string& RootPrefix,
                 CodeWriter& Out, const std::string& Ticks = "call.ticks()");
/// What \p Text gives of a capture, as code has it: copies of objects instead of the program's
/// values.
std::string asCode(EmitContext& Context, const Capture& C, std::string Text);
/// Makes the unit's names visible, and prefers them where the user has the same ones.
void useUnit(EmitContext& Context, CodeWriter& Out);
/// Opens the session in a driver: the arrays of objects, the captured objects, the trace.
/// \p First reads the base array; \p Inputs are the types of the arrays' elements; \p Info names
/// what describes the section, or the fused ones. \p InSequence: the driver gives back whether
/// objects could be traced.
void openSession(EmitContext& Context, const std::vector<const Section*>& Sections,
                 const Section& First, const std::vector<Type>& Inputs, const std::string& Info,
                 CodeWriter& Out, bool InSequence = false);
/// The type of elements as launches are told it: of tuples that hold pointers to objects that of
/// the program.
std::string launchText(EmitContext& Context, const Type& T);
/// The type of \p S's elements as launches are given it.
std::string resultText(EmitContext& Context, const Section& S);
/// The call that launches a body which reads \p First's input and gives \p Last's result, up to the
/// body.
std::string launcher(EmitContext& Context, const Section& First, const Section& Last,
                     bool WithIndex);
/// What a section's driver launches, in words.
std::string launchComment(const Section& S);
/// True for reductions and scans that begin with an object: the call gives its ID.
bool startsWithObject(const Section& S);
/// The class of what the section's driver is given.
std::string callType(const Section& S);
/// The name of an emitted class alias: Car_class.
std::string classAlias(const EmitContext& Context, Index Class);
/// "Car_class, Bus_class" for the classes that objects of static class \p Static can have.
std::string classList(const EmitContext& Context, Index Static);
/// "ikra::rt::references<::Actor, Car_class, Bus_class>".
std::string references(EmitContext& Context, Index Static);
/// True where the driver loops over the ticks and the body is given each: launches over values have
/// none.
bool ticksOutside(const Section& S);

} // namespace ikra

#endif
