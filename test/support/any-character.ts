import fc from 'fast-check'

const [firstSurrogate, surrogates] = [0xd800, 0x800]

/**
 * Any code point except surrogates, including NUL, as a unit for `fc.string`.
 *
 * fast-check's unit `binary` is equivalent, but it first builds a map of all code points, which takes a second per
 * process.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((n) => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates))
