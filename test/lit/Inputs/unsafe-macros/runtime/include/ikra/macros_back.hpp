#pragma pop_macro("N")
