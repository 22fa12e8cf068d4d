// Any text, for property tests.
import fc from 'fast-check';

const surrogates = { from: 0xd800, count: 0x800 } as const;

/**
 * Any character of Unicode, every second one of ASCII. fast-check's own unit `binary` is the same in another mixture, and
 * takes 0.7 s of processor time where a process uses it first.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.nat(0x7f), fc.nat(0x10_ffff - surrogates.count))
  .map((n) => String.fromCodePoint(n < surrogates.from ? n : n + surrogates.count));
