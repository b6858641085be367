// A file that is written beside another, and takes its place when it is whole.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "leat/platform/abi.hpp"

namespace leat::inline LEAT_ABI::ranks {

/// A new file beside another one. It takes that one's place when told to, and else is removed at the end. Thread
/// safety: none.
class replacement {
 public:
  /// Makes the file, empty. Its name is that of the other, a process id and a number: one that no file has.
  /// \param place  the file to be replaced. It need not exist. Of a symbolic link, what it names is replaced, not the
  ///               link; a file keeps its permissions
  /// \throws std::system_error  the file cannot be made; the message names `place`
  explicit replacement(const std::string& place);
  ~replacement();
  replacement(const replacement&) = delete;
  replacement& operator=(const replacement&) = delete;

  /// Adds these bytes at the end.
  /// \throws std::system_error  the file cannot be written, for instance because the disk is full
  void write(std::span<const std::byte> bytes);

  /// Puts the file in place of the other. Whenever the machine stops, one of the two is there as a whole. To be
  /// called once, after all writes. Waits for the disk, which may take tens of milliseconds.
  /// \throws std::system_error  the disk refuses it, or the place is a folder
  void take_place();

  /// Names tried before the file is given up: so many that exist already are no accident.
  static constexpr int names_max = 1000;

  /// Symbolic links followed one after the other, as many as Linux follows.
  static constexpr int links_max = 40;

 private:
  [[noreturn]] void refuse(const char* what) const;
  void open();

  std::string given_;
  std::string place_;  // behind all links
  std::string name_;  // of the new file
  int number_ = -1;  // the descriptor
  bool placed_ = false;
};

}  // namespace leat::inline LEAT_ABI::ranks
