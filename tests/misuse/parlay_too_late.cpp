// says: leat_parlay.hpp must come before Parlay's scheduler.h
#define PARLAY_SCHEDULER_H_
#include <leat_parlay.hpp>

int main() {}
