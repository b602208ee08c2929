// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which members share a column. Columns are best for a section's own element, since neighbouring
// threads read neighbouring elements. Through references threads read anywhere, and each read costs
// a whole 32-byte sector, whatever part of it is used: there, members that are read together belong
// side by side.

#ifndef IKRA_LAYOUT_RECORDS_H
#define IKRA_LAYOUT_RECORDS_H

#include "Model/ProgramModel.h"

namespace ikra {

/// Groups of two or more members, each to be one column of records. All are values of one class
/// that some section reads through references together with another of the group, and that no
/// section writes or reads of its own element. A record has at most 16 bytes.
std::vector<std::vector<Index>> planRecords(const ProgramModel& Model);

} // namespace ikra

#endif
