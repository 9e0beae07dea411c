/* All constructs that the suite measures in C. */
#include "construct.h"

const char weir_language[] = "C";
const struct group *const weir_groups[] = {&weir_synchronisation, &weir_exclusion, &weir_schedules, &weir_tasks, &weir_data,
                                           &weir_programs,       NULL};
