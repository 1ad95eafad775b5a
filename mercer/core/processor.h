// Which processor this is: its name for people, and the numbers by which tables of rates know it.
#pragma once

#include <string>

namespace mercer {

struct Processor {
  std::string name = "unknown";  // as its maker writes it: "AMD EPYC 9354 32-Core Processor"
  std::string vendor = {};       // "GenuineIntel", "AuthenticAMD"; empty where nobody says
  int family = 0, model = 0;     // numbers of the vendor, by which instruction timings differ
};

/// The processor this runs on; looked up once.
const Processor& processor();

}  // namespace mercer
