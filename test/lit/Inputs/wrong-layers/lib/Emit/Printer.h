#include "Analysis/Model.h"
