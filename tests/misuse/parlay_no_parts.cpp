// says: LEAT_PARLAY_PARTS_PER_WORKER must be a whole number, 1 or more
#define LEAT_PARLAY_PARTS_PER_WORKER 0
#include <leat_parlay.hpp>

int main() {}
