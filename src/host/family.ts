import { readdirSync, readFileSync } from 'node:fs'

/** What `/proc/PID/stat` says of a process. */
interface Kin {
  readonly pid: number
  readonly parent: number
  /** Number of clock ticks from the start of the machine to that of the process, which tells it from a later one. */
  readonly started: string
}

/**
 * The processes that one process has started, directly or not. One whose parent ends belongs to another parent from then
 * on, so those that were found are remembered. It finds nothing on a system without `/proc`.
 */
export class Family {
  readonly #founder: number
  readonly #found = new Map<number, Kin>()

  constructor(founder: number) {
    this.#founder = founder
  }

  /**
   * The numbers of those that live now, without the founder. `hasEnded`: whether the founder has; then its number may
   * belong to another process.
   */
  living(hasEnded: boolean): readonly number[] {
    const all = processes()
    for (const { pid, started } of [...this.#found.values()]) {
      if (all.get(pid)?.started !== started) this.#found.delete(pid)
    }
    const parents = [...(hasEnded ? [] : [this.#founder]), ...this.#found.keys()]
    for (const parent of parents) {
      for (const kin of all.values()) {
        if (kin.parent !== parent || this.#found.has(kin.pid)) continue
        this.#found.set(kin.pid, kin)
        parents.push(kin.pid)
      }
    }
    return [...this.#found.keys()]
  }
}

/** All processes of the machine, without those that have ended and were not collected by their parent. */
function processes(): ReadonlyMap<number, Kin> {
  const found = new Map<number, Kin>()
  for (const name of namesIn('/proc')) {
    const pid = Number(name)
    const kin = Number.isInteger(pid) ? kinOf(pid) : undefined
    if (kin !== undefined) found.set(pid, kin)
  }
  return found
}

function namesIn(path: string): readonly string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

/** Undefined: there is no such process any more. The second field, a name in parentheses, may contain any character. */
function kinOf(pid: number): Kin | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [state, parent] = fields
    const started = fields[19]
    return state === 'Z' || started === undefined ? undefined : { pid, parent: Number(parent), started }
  } catch {
    return undefined
  }
}
