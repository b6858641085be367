// What leat looks for in hwloc's XML before hwloc reads it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "leat/topology/xml_file.hpp"

namespace {

using leat::topology::fault_in_xml;
using testing::HasSubstr;
using testing::IsEmpty;

// A machine with this object in it.
std::string with(const std::string& object) {
  return R"(<topology version="2.0"><object type="Machine" cpuset="0x1" complete_cpuset="0x1">)" + object +
         "</object></topology>";
}

TEST(XmlFile, PassesWhatHwlocWrites) {
  EXPECT_THAT(fault_in_xml(with(R"(<object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1"/>)")), IsEmpty());
  EXPECT_THAT(fault_in_xml(with(R"(<object type='PU'  os_index='3'/>)")), IsEmpty());
  EXPECT_THAT(fault_in_xml(with(R"(<object type="Bridge" os_index="4294967295" cpuset="0x1"/>)")), IsEmpty());
}

TEST(XmlFile, LeavesToHwlocWhatIsNoMachine) {
  for (const char* const text :
       {"", "numa:2", "<topology", "<object type=\"PU\"/>", "<topology version=\"2.0\"><object"}) {
    EXPECT_THAT(fault_in_xml(text), IsEmpty()) << text;
  }
  // hwloc gives sets and numbers to the objects of its first version.
  EXPECT_THAT(fault_in_xml(R"(<topology version="1.0"><object type="PU"/></topology>)"), IsEmpty());
}

TEST(XmlFile, NamesTheSetThatIsMissing) {
  EXPECT_THAT(fault_in_xml(with(R"(<object type="Core" cpuset="0x1"/>)")),
              HasSubstr("'Core' has one of cpuset and complete_cpuset without the other"));
  EXPECT_THAT(fault_in_xml(with(R"(<object type="Core" complete_nodeset="0x1"/>)")),
              HasSubstr("'Core' has one of nodeset and complete_nodeset without the other"));
}

TEST(XmlFile, NamesTheNumberThatIsNone) {
  for (const char* const index : {"", "-1", "1048576", "4294967295", "99999999999999999999", "0x1", "1 "}) {
    EXPECT_THAT(fault_in_xml(with("<object type=\"PU\" os_index=\"" + std::string(index) + "\"/>")),
                HasSubstr("'PU' has no os_index below 1048576: '" + std::string(index) + "'"));
  }
  EXPECT_THAT(fault_in_xml(with(R"(<object type="NUMANode"/>)")), HasSubstr("'NUMANode' has no os_index"));
  EXPECT_THAT(fault_in_xml(with(R"(<object type="PU" os_index="-1" os_index="0"/>)")),
              HasSubstr("'PU' has no os_index"));
}

}  // namespace
