#pragma push_macro("N")
#undef N
#pragma push_macro("T")
#undef T
