import fc from 'fast-check';

const surrogates = { from: 0xd800, count: 0x800 } as const;

/** Every second character is ASCII. fast-check's own `binary` costs 0.7 s of processor time at its first use. */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10_ffff - surrogates.count))
  .map((n) => String.fromCodePoint(n < surrogates.from ? n : n + surrogates.count));
