/**
 * What happened in a soak, as lines of JSON: samples, disruptions, operations that had to be repeated, and violations.
 * The verdicts and the picture are made from this file alone.
 */
import { appendFileSync } from 'node:fs'

export class Record {
  #file
  #beganMs = performance.now()
  #counts = new Map()
  violations = 0
  longestFailing = { tookS: 0 }

  constructor(file) {
    this.#file = file
  }

  get atS() {
    return (performance.now() - this.#beganMs) / 1000
  }

  write(type, fields) {
    appendFileSync(this.#file, `${JSON.stringify({ type, atS: Number(this.atS.toFixed(2)), ...fields })}\n`)
  }

  /** Something that must never happen. */
  violation(what) {
    this.violations++
    this.write('violation', { what })
    console.error(`VIOLATION: ${what}`)
  }

  /** `outcome`: `done`, `excused` by an announced restart, or `given-up`. */
  count(kind, outcome) {
    const key = `${kind} ${outcome}`
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1)
  }

  /** An operation that failed at first, and how long it took until it succeeded or was given up. */
  failing(fields) {
    if (fields.tookS > this.longestFailing.tookS) this.longestFailing = fields
    this.write('failing', fields)
  }

  counts() {
    return Object.fromEntries([...this.#counts].sort())
  }
}
