/** Bounds of what one input may cost, by its length in bytes. */
export interface Bounds {
  /** Places of the program that are passed, counted by instrumentation: the same on every machine. */
  readonly steps: (length: number) => number
  /** Of CPU, with instrumentation. What native code does is in it, too. */
  readonly cpuMs: (length: number) => number
  /** Of memory that is allocated. */
  readonly bytes: (length: number) => number
}

/** A decoder that bytes from outside reach. */
export interface FuzzTarget {
  readonly name: string
  /** What it is, for the list. */
  readonly about: string
  /**
   * Gives the bytes to the decoder. What it throws is a finding: refusals are values, and where a decoder throws for
   * them, the target catches that class of errors alone. A target may check more, such as that what was read is written
   * as it was.
   */
  run(bytes: Uint8Array): void | Promise<void>
  /** Good inputs to begin with. */
  seeds(): readonly Uint8Array[]
  /** Longest input that is tried. */
  readonly lengthMax: number
  /** Texts of the format besides those in the program. */
  readonly words?: readonly string[]
  readonly bounds?: Partial<Bounds>
}

/**
 * What holds where a target says nothing else: work and memory grow with the input, and no input stops an agent for
 * long.
 */
export const usualBounds: Bounds = {
  steps: (length) => 20_000 + 400 * length,
  cpuMs: () => 50,
  bytes: (length) => (2 << 20) + 256 * length,
}
