// What most tests include. The build reads it once, before each of them (tests/CMakeLists.txt); a test includes what it
// uses all the same, so that it compiles without.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engines.hpp"
#include "leat/leat.hpp"
