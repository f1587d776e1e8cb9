import fc from 'fast-check'

const [firstSurrogate, surrogates] = [0xd800, 0x800]

/**
 * Each code point except surrogates, also NUL: a unit for `fc.string`. Its own unit `binary` is the same, but lists all of
 * them in a map first, which takes a second in each process.
 */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((n) => String.fromCodePoint(n < firstSurrogate ? n : n + surrogates))
