// The hashing of UTS: a node's state is the SHA-1 of its parent's state and its own index.

#pragma once

#include <nettle/sha1.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace leat::kernels::uts {

/// The 20-byte state of a node: the five words of a SHA-1 digest, in the machine's byte order.
struct state {
  std::array<std::uint32_t, 5> word;

  /// The node's random number: the last word of the digest with its top bit cleared, so at most 2^31 - 1.
  [[nodiscard]] std::uint32_t random() const noexcept { return word[4] & 0x7fffffffu; }

  friend bool operator==(const state&, const state&) = default;
};
static_assert(sizeof(state) == 20);

/// A word as SHA-1 reads it from memory.
[[nodiscard]] constexpr std::uint32_t big_endian(std::uint32_t word) noexcept {
  return std::endian::native == std::endian::big ? word : __builtin_bswap32(word);
}

/// Hashes the children of one node.
///
/// Twenty bytes of state and four of index fit one SHA-1 block with its padding. The block is laid out once per
/// parent, and only the index changes from child to child, so that a child costs one run of the compression function;
/// nettle's sha1_init, sha1_update and sha1_digest cost a third more.
///
/// Thread safety: none, one object per traversal step. Cost: about 40 ns a child where the CPU has SHA instructions.
class child_hash {
 public:
  explicit child_hash(const state& parent) noexcept
      : block_{quad{big_endian(parent.word[0]), big_endian(parent.word[1]), big_endian(parent.word[2]),
                    big_endian(parent.word[3])},
               quad{big_endian(parent.word[4]), 0, padding_start, 0}, quad{}, quad{0, 0, 0, message_bits}} {}

  /// The state of child `index` of the parent.
  [[nodiscard]] state operator()(std::uint32_t index) noexcept {
    state child;
    write(index, child);
    return child;
  }

  /// The same, where it is to lie.
  void write(std::uint32_t index, state& child) noexcept {
    // The whole quarter of the block is stored at once: the compression function loads sixteen bytes, and a store of
    // the four bytes alone could not be forwarded to that load.
    block_[1] = quad{block_[1][0], big_endian(index), padding_start, 0};
    compress(child);
  }

  /// The state of the root of the tree with this seed: the parent is sixteen zero bytes only.
  [[nodiscard]] static state root(std::uint32_t seed) noexcept {
    child_hash hash{state{}};
    hash.block_[1] = quad{big_endian(seed), padding_start, 0, 0};
    hash.block_[3] = quad{0, 0, 0, big_endian(20 * 8)};
    state root;
    hash.compress(root);
    return root;
  }

 private:
  // Sixteen bytes that are stored by one instruction; a vector type of GCC and Clang, on any architecture.
  using quad = std::uint32_t __attribute__((vector_size(16)));

  static constexpr std::uint32_t padding_start = big_endian(0x80000000u);
  static constexpr std::uint32_t message_bits = big_endian(24 * 8);

  void compress(state& digest) const noexcept {
    // The initial value of SHA-1 (FIPS 180-4, section 5.3.1).
    digest = {{0x67452301u, 0xefcdab89u, 0x98badcfeu, 0x10325476u, 0xc3d2e1f0u}};
    nettle_sha1_compress(digest.word.data(), reinterpret_cast<const std::uint8_t*>(block_));
  }

  quad block_[4];
};

}  // namespace leat::kernels::uts
