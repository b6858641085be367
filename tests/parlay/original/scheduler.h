// Where Parlay has its own scheduler.
#ifndef PARLAY_SCHEDULER_H_
#error "leat_parlay.hpp did not come first"
#endif
