/**
 * Decoders with the flaws that the fuzzer is for; it is tried on them. They are instrumented as those of the program
 * are.
 */

/**
 * Throws behind four bytes that must be right one after the other: luck alone finds them once in four thousand million
 * inputs.
 */
export function crashes(bytes: Uint8Array): void {
  if (bytes[0] !== 0x46) return
  if (bytes[1] !== 0x55) return
  if (bytes[2] !== 0x5a) return
  if (bytes[3] === 0x5b) throw new TypeError('behind four bytes')
}

/** Goes over all that follows for each byte of a kind. */
export function goesOverAllAgain(bytes: Uint8Array): number {
  let sum = 0
  for (let at = 0; at < bytes.length; at++) {
    if (bytes[at] !== 0x5b) continue
    for (let behind = at; behind < bytes.length; behind++) sum += bytes[behind] ?? 0
  }
  return sum
}

/** Believes a length. */
export function believesLength(bytes: Uint8Array): Uint8Array {
  const length = ((bytes[0] ?? 0) << 16) | ((bytes[1] ?? 0) << 8)
  return new Uint8Array(bytes.length > 2 ? length : 0).fill(1)
}

/** Does not go on at a byte of a kind. */
export function standsStill(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length) at += bytes[at] === 0x5d ? 0 : 1
  return at
}

/** Spends its time in native code, which has no steps. */
export function spendsTime(bytes: Uint8Array): boolean {
  const text = String.fromCharCode(...bytes.subarray(0, 40))
  return /^(a+)+$/.test(text)
}
