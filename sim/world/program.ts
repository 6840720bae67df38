/** A call of a program, as its script sees it. */
export interface ProgramCall {
  readonly argv: readonly string[]
  readonly environment: ReadonlyMap<string, string>
  readonly input: Uint8Array
}

/** What a scripted program does. */
export interface ProgramRun {
  /** How long it takes. */
  readonly afterMs: number
  /** Its exit code, or the signal that ends it. */
  readonly exit: number | string
  readonly output?: string | Uint8Array
}

/** A child process in the simulator: what it will have done is known at its start. */
export type Program = (call: ProgramCall) => ProgramRun
