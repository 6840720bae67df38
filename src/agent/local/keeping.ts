import type { Json } from '../../base/json.ts'
import { done, err, ok, type Result } from '../../base/result.ts'
import type { DiskFailure } from '../../env/disk.ts'
import type { Env } from '../../env/env.ts'
import { type CheckDefinition, type OfferedService, runsProgram } from '../../model/catalog.ts'
import { type Failure, failureText } from '../../model/failure.ts'
import type { StartFailure } from '../boot/lifecycle.ts'
import type { AgentConfig } from '../settings/agent-config.ts'
import { itemKey } from './entries.ts'
import type { FileDefinitions } from './file-definitions.ts'
import { KeptDefinitions } from './kept-definitions.ts'
import { KeptFiles } from './kept-files.ts'
import {
  type KeptChange,
  type KeptState,
  keptCheck,
  keptService,
  keptState,
  withoutCheck,
  withoutService,
} from './kept-schema.ts'

export interface Kept {
  readonly services: readonly OfferedService[]
  readonly checks: readonly CheckDefinition[]
  /** By `itemKey`. */
  readonly states: ReadonlyMap<string, KeptState>
}

type Written = Promise<Result<undefined, DiskFailure>>

interface Places {
  readonly definitions: KeptDefinitions
  readonly states: KeptFiles<{ readonly state: KeptState }, KeptState>
}

/**
 * Stores what came over the API in the data directory: services and checks in one journal, and one file for the last
 * report of each TTL check. Without a data directory nothing is stored. Reference: configuration.md#file-services,
 * configuration.md#file-check-state.
 */
export class Keeping {
  readonly #env: Env
  readonly #dataDir: string | undefined
  readonly #places: Places | undefined

  constructor(env: Env, dataDir: string | undefined) {
    this.#env = env
    this.#dataDir = dataDir
    if (dataDir === undefined) return
    this.#places = {
      definitions: new KeptDefinitions(env, `${dataDir}/local`),
      states: new KeptFiles(env, `${dataDir}/checks/state`, {
        schema: keptState,
        itemOf: ({ state }) => [state.checkId, state],
      }),
    }
  }

  /** A malformed entry is left out and reported. */
  async load(): Promise<Result<Kept, DiskFailure>> {
    if (this.#places === undefined) return ok({ services: [], checks: [], states: new Map() })
    const { definitions, states } = this.#places
    const made = await this.#makeDirectories()
    if (!made.ok) return made
    const loaded = await definitions.load()
    if (!loaded.ok) return loaded
    const adopted = await this.#adoptFiles(definitions)
    if (!adopted.ok) return adopted
    const read = await states.load()
    return read.ok ? ok({ services: definitions.services(), checks: definitions.checks(), states: read.value }) : read
  }

  /**
   * Stores the changes of one call all or none. If the write fails it is as if they had not been requested, as far as
   * the disk allows: a disk that refuses all writes may have stored what it reported as failed, until the next
   * successful write.
   */
  async change(changes: readonly KeptChange[]): Promise<Result<undefined, Failure>> {
    const kept = await (this.#places?.definitions.change(changes) ?? Promise.resolve(done))
    return kept.ok ? kept : err(diskRefusal(kept.error))
  }

  /** Not synced: the state of a check is soon out of date, and not worth a sync for each report. */
  async keepState(state: KeptState): Written {
    return this.#places?.states.put(state.checkId, { state: state as unknown as Json }) ?? done
  }

  async dropState(checkId: string): Written {
    return this.#places?.states.remove(checkId) ?? done
  }

  /** Removes the stored states of checks that are gone. What cannot be removed is looked at again at the next start. */
  async dropStates({ states }: Kept, isThere: (checkId: string) => boolean): Promise<void> {
    for (const { checkId } of states.values()) if (!isThere(checkId)) await this.dropState(checkId)
  }

  /** Settles when no write is under way. */
  async close(): Promise<void> {
    await this.#places?.definitions.close()
  }

  async #makeDirectories(): Written {
    const { disk } = this.#env
    if (this.#dataDir === undefined) return done
    for (const directory of ['local', 'checks/state']) {
      const made = await disk.makeDirectory(`${this.#dataDir}/${directory}`)
      if (!made.ok) return made
    }
    const named = await disk.syncDirectory(this.#dataDir)
    return named.ok ? disk.syncDirectory(`${this.#dataDir}/checks`) : named
  }

  /**
   * Older releases kept one file for each service and check. They are moved into the journal, and the files are removed
   * for good only then: a service deregistered later must not come back with them.
   */
  async #adoptFiles(definitions: KeptDefinitions): Written {
    const services = new KeptFiles(this.#env, `${this.#dataDir}/services`, {
      schema: keptService,
      itemOf: ({ service }) => [service.id, service] as const,
    })
    const checks = new KeptFiles(this.#env, `${this.#dataDir}/checks`, {
      schema: keptCheck,
      itemOf: ({ check }) => [check.checkId, check] as const,
    })
    const [oldServices, oldChecks] = [await services.load(), await checks.load()]
    if (!oldServices.ok) return oldServices
    if (!oldChecks.ok) return oldChecks
    const adopted = await definitions.adopt([...oldServices.value.values()], [...oldChecks.value.values()])
    if (!adopted.ok) return adopted
    const removed = await services.removeAll([...oldServices.value.values()].map(({ id }) => id))
    return removed.ok ? checks.removeAll([...oldChecks.value.values()].map(({ checkId }) => checkId)) : removed
  }
}

/** A change that could not be written to disk. */
export function diskRefusal(failure: DiskFailure): Failure {
  return { kind: 'refused', message: `data_dir: ${failure.path}: ${failure.message}` }
}

/** Stored data cannot be read; no definition is at fault. */
export function unreadable(failure: Failure): StartFailure {
  const remedy = 'mend the disk, or let this user read the data directory'
  return { kind: 'data-directory', message: failureText(failure), remedy }
}

/** What becomes of the definitions that an agent has stored on disk. */
interface Restored {
  readonly services: readonly OfferedService[]
  readonly checks: readonly CheckDefinition[]
  /** Definitions to remove from the disk. */
  readonly changes: readonly KeptChange[]
  /** Definitions that stay on disk, and do not run for now. */
  readonly leftOut: readonly CheckDefinition[]
}

/** Stored definitions are restored, unless a file defines them or they are no longer valid. */
export function restored(kept: Kept, wanted: FileDefinitions, config: AgentConfig): Restored {
  const mayCome = ({ id, managed }: OfferedService): boolean =>
    !wanted.services.has(itemKey(id)) && (managed === undefined || config.managedProxies.viaApi)
  const services = kept.services.filter(mayCome)
  const there = new Set([...wanted.services.keys(), ...services.map(({ id }) => itemKey(id))])
  const known = kept.checks.filter(
    ({ checkId, serviceId }) =>
      !wanted.checks.has(itemKey(checkId)) && (serviceId === '' || there.has(itemKey(serviceId))),
  )
  const runs = ({ probe }: CheckDefinition): boolean => !runsProgram(probe) || config.checksConfig.remoteScripts
  return {
    services,
    checks: known.filter(runs),
    changes: [
      ...kept.services.filter((service) => !mayCome(service)).map(({ id }) => withoutService(id)),
      ...kept.checks.filter((check) => !known.includes(check)).map(({ checkId }) => withoutCheck(checkId)),
    ],
    leftOut: known.filter((check) => !runs(check)),
  }
}
