import type { Closable } from './async.ts'

export interface Clock {
  /**
   * Milliseconds since 1970 UTC by the machine's wall clock; may jump. For dates that people and certificates carry.
   */
  wallMs(): number
  /** Milliseconds since an arbitrary start, never going back; a fraction down to microseconds. For every timeout. */
  monoMs(): number
}

export interface Timers {
  /**
   * Calls `fire` once, in a turn of its own, when `delayMs` of monotonic time have passed. Timers that fall due at the
   * same instant fire in the order in which they were set. A closed timer never fires. A negative delay counts as 0.
   *
   * `waits`: a name for what the timer waits for, where its firing means that something did not come. For readers of a
   * simulator's trace; it changes nothing else.
   */
  after(delayMs: number, fire: () => void, waits?: string): Closable
}
