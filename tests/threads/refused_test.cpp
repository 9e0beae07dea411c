// Where members cannot be: under ThreadSanitizer a crowd says so, and has not begun.
#include <weir/crowd.hpp>

#include <cerrno>
#include <system_error>

#include <gtest/gtest.h>

TEST(Refused, UnderThreadSanitizer) {
  bool ran = false;
  try {
    weir::crowd c(2, [&](unsigned) { ran = true; });
    FAIL() << "it begins";
  } catch (const std::system_error& e) {
    EXPECT_EQ(e.code().value(), ENOTSUP);
    EXPECT_NE(std::string(e.what()).find("ThreadSanitizer"), std::string::npos);
  }
  EXPECT_FALSE(ran);
}
