import { lookup } from 'node:dns/promises'
import { err, ok, type Result } from '../base/result.ts'
import type { LookupFailure, Names } from '../env/names.ts'
import { nodeDelay } from './async.ts'
import type { OpenThings } from './open-things.ts'
import { codeOf, messageOf } from './system-error.ts'

/** Maximum number of lookups under way: the system's lookup occupies one of the process's few threads. */
const lookupsMax = 64

/** Errors of getaddrinfo for a name that does not exist; all others are failures of the lookup. */
const unknownNames: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA'])

type Found = Result<readonly string[], LookupFailure>

export class HostNames implements Names {
  readonly #open: OpenThings
  #underWay = 0

  constructor(open: OpenThings) {
    this.#open = open
  }

  lookup(name: string, timeoutMs: number): Promise<Found> {
    return new Promise((resolve) => {
      if (this.#underWay >= lookupsMax) {
        const message = `${lookupsMax} lookups are under way`
        setImmediate(() => resolve(err({ kind: 'io', name, message })))
        return
      }
      this.#underWay++
      const timer = setTimeout(() => {
        this.#open.delete(guard)
        resolve(err({ kind: 'timeout', name, message: `no answer within ${timeoutMs} ms` }))
      }, nodeDelay(timeoutMs))
      const guard = { close: () => clearTimeout(timer) }
      this.#open.add(guard)
      void found(name).then((result) => {
        // The thread is free only now, whether or not the caller still waits.
        this.#underWay--
        clearTimeout(timer)
        this.#open.delete(guard)
        resolve(result)
      })
    })
  }
}

async function found(name: string): Promise<Found> {
  try {
    const all = await lookup(name, { all: true, order: 'verbatim' })
    return ok([...new Set(all.map(({ address }) => address))])
  } catch (cause) {
    return err({ kind: unknownNames.has(codeOf(cause)) ? 'not-found' : 'io', name, message: messageOf(cause) })
  }
}
